import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { demoModels } from '@svc/demo-models'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BuiltServer, startBuiltServer } from '../support/built-server.ts'

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
/** The demo model does not have some of these tokens. */
const tokens = fc.array(fc.nat({ max: 5000 }), { minLength: 1, maxLength: 6 })
const between = (min: number, max: number) => fc.double({ min, max, noNaN: true })
/** A key that is present, null or missing, as clients write optional fields. */
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(fc.option(value, { nil: null }), { nil: undefined })

const completion = fc.record({
  prompt: fc.oneof(text, tokens, fc.array(text, { minLength: 1, maxLength: 2 })),
  max_tokens: fc.integer({ min: 1, max: 12 }),
  n: optional(fc.integer({ min: 1, max: 3 })),
  echo: optional(fc.boolean()),
  logprobs: optional(fc.integer({ min: 0, max: 20 })),
  stop: optional(fc.oneof(text, fc.array(text, { maxLength: 3 }))),
  temperature: optional(between(0, 5)),
  top_p: optional(between(0, 1)),
  top_k: optional(fc.integer({ min: -1, max: 5000 })),
  min_p: optional(between(0, 1)),
  typical_p: optional(between(0, 1)),
  tfz: optional(between(0, 2)),
  repeat_penalty: optional(between(0, 3)),
  repeat_last_n: optional(fc.integer({ min: -1, max: 2000 })),
  frequency_penalty: optional(between(-2, 2)),
  presence_penalty: optional(between(-2, 2)),
  seed: optional(fc.integer({ min: -1, max: 2 ** 31 - 1 })),
  logit_bias: optional(fc.dictionary(fc.nat({ max: 5000 }).map(String), between(-100, 100), { maxKeys: 3 })),
  n_keep: optional(fc.integer({ min: -1, max: 4 })),
  ignore_eos: optional(fc.boolean()),
  batch: optional(fc.nat({ max: 600 })),
  response_format: optional(fc.constantFrom('json_object', 'text')),
})

let server: BuiltServer
beforeAll(async () => {
  server = await startBuiltServer({ env: { SVC_DEMO_MODEL: 'true', SVC_THREADS: '1' } })
  const models = join(server.folder, 'models')
  await mkdir(models, { recursive: true })
  await copyFile(demoModels[0]?.file ?? '', join(models, 'weights.gguf'))
  const uses = {
    vectors: 'embeddings: true',
    ranker: 'embeddings: true\noptions: ["rerank:cosine"]',
    scorer: 'known_usecases: [score]',
  }
  for (const [name, keys] of Object.entries(uses)) {
    const file = `name: ${name}\nbackend: llama\n${keys}\nparameters:\n  model: weights.gguf\n`
    await writeFile(join(models, `${name}.yaml`), file)
  }
})
afterAll(() => server[Symbol.asyncDispose]())

const ROUTES: readonly (readonly [string, string, fc.Arbitrary<object>])[] = [
  ['/v1/completions', 'demo', completion],
  [
    '/v1/embeddings',
    'vectors',
    fc.record({
      input: fc.oneof(text, tokens, fc.array(fc.oneof(text, tokens), { minLength: 1, maxLength: 5 })),
      dimensions: optional(fc.integer({ min: 1, max: 32 })),
    }),
  ],
  [
    '/v1/rerank',
    'ranker',
    fc.record({
      query: text,
      documents: fc.array(text, { maxLength: 6 }),
      top_n: optional(fc.integer({ min: 1, max: 9 })),
    }),
  ],
  ['/v1/tokenize', 'demo', fc.record({ content: fc.string({ unit: 'binary', maxLength: 30 }) })],
  ['/v1/detokenize', 'demo', fc.record({ tokens })],
  ['/api/score', 'scorer', fc.record({ prompt: text, candidates: fc.array(text, { minLength: 1, maxLength: 4 }) })],
]

it.each(ROUTES)(
  '%s of %s answers valid tokens and refuses only tokens that the model lacks',
  async (path, model, valid) => {
    await fc.assert(
      fc.asyncProperty(valid, async (fields) => {
        const body = JSON.stringify({ model, ...fields })
        const reply = await fetch(`${server.url}${path}`, { method: 'POST', body })
        const said = await reply.text()
        if (reply.status !== 200) {
          expect(reply.status, said).toBe(400)
          expect(said).toMatch(/is not in the vocabulary/)
        }
        expect(() => JSON.parse(said) as unknown).not.toThrow()
      }),
      { numRuns: 50 },
    )
  },
)
