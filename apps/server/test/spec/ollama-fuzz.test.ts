import fc from 'fast-check'
import { expect, it } from 'vitest'
import { startTestServer } from '../support/server.ts'

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
const anyText = fc.string({ unit: 'grapheme', maxLength: 12 })

/** A key that is present, null or missing, as clients write optional fields. */
const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null | undefined> =>
  fc.option(fc.option(arbitrary, { nil: null }), { nil: undefined })

const options = fc.record({
  temperature: optional(fc.double({ min: 0, max: 2, noNaN: true })),
  top_k: optional(fc.integer({ min: -1, max: 100 })),
  top_p: optional(fc.double({ min: 0, max: 1, noNaN: true })),
  num_predict: optional(fc.integer({ min: -2, max: 20 })),
  num_ctx: optional(fc.integer({ min: 0, max: 10_000 })),
  seed: optional(fc.integer()),
  stop: optional(fc.oneof(text, fc.array(text, { maxLength: 3 }))),
  num_gpu: fc.jsonValue({ maxDepth: 1 }),
})
const common = {
  stream: optional(fc.boolean()),
  think: optional(fc.oneof(fc.boolean(), fc.constantFrom('low', 'medium', 'high'))),
  logprobs: optional(fc.boolean()),
  top_logprobs: optional(fc.integer({ min: 0, max: 20 })),
  keep_alive: optional(
    fc.oneof(
      fc.integer({ min: -2, max: 1000 }).filter((each) => each !== 0),
      fc.constant('5m'),
    ),
  ),
  options: optional(options),
  unknown_key: fc.jsonValue({ maxDepth: 2 }),
}
const message = fc.oneof(
  fc.record({ role: fc.constantFrom('system', 'user', 'assistant', 'tool'), content: optional(anyText) }),
  fc.record({
    role: fc.constant('assistant'),
    thinking: optional(anyText),
    tool_calls: fc.array(
      fc.record({ function: fc.record({ name: text, arguments: fc.dictionary(text, fc.jsonValue({ maxDepth: 1 })) }) }),
      { maxLength: 2 },
    ),
  }),
)

/** Bodies that each route accepts. */
const VALID: Readonly<Record<string, fc.Arbitrary<object>>> = {
  '/api/chat': fc.record({ messages: optional(fc.array(message, { maxLength: 4 })), ...common }),
  '/api/generate': fc.record({
    prompt: optional(anyText),
    system: optional(anyText),
    raw: optional(fc.boolean()),
    ...common,
  }),
  '/api/embed': fc.record({
    input: optional(fc.oneof(anyText, fc.array(text, { maxLength: 4 }))),
    truncate: optional(fc.boolean()),
    dimensions: optional(fc.integer({ min: 0, max: 64 })),
    unknown_key: fc.jsonValue({ maxDepth: 2 }),
  }),
  '/api/embeddings': fc.record({ prompt: optional(anyText), unknown_key: fc.jsonValue({ maxDepth: 2 }) }),
  '/api/show': fc.record({ verbose: optional(fc.boolean()), unknown_key: fc.jsonValue({ maxDepth: 2 }) }),
}

/** A body with any value under any key. */
function broken(valid: fc.Arbitrary<object>): fc.Arbitrary<unknown> {
  const anything = fc.jsonValue({ maxDepth: 3 })
  const keys = ['model', 'format', 'tools', 'images', 'context', 'template', 'suffix', 'keep_alive']
  const twisted = fc
    .tuple(valid, fc.array(fc.tuple(fc.nat(), anything), { minLength: 1, maxLength: 3 }))
    .map(([body, changes]) => {
      const places = [...Object.keys(body), ...keys]
      return {
        model: 'm',
        ...body,
        ...Object.fromEntries(changes.map(([place, value]) => [places[place % places.length], value])),
      }
    })
  return fc.oneof({ weight: 4, arbitrary: twisted }, { weight: 1, arbitrary: anything })
}

it('bodies that fit are answered, any others refused with a text: never a failure of the server', async () => {
  await using server = await startTestServer()
  await server.model(
    'm',
    { rules: [{ rpc: 'Predict*', do: { text: '{}' } }] },
    { known_usecases: ['chat', 'embeddings'] },
  )
  for (const [path, valid] of Object.entries(VALID)) {
    await fc.assert(
      fc.asyncProperty(valid, async (body) => {
        const reply = await server.post(path, { model: 'm', ...body })
        expect(reply.status, reply.text).toBe(200)
        expect(reply.text).not.toContain('"error"')
      }),
      { numRuns: 60 },
    )
    await fc.assert(
      fc.asyncProperty(broken(valid), async (body) => {
        const reply = await server.post(path, body)
        expect([200, 400, 404], reply.text).toContain(reply.status)
        if (reply.status !== 200) expect(reply.json()).toEqual({ error: expect.any(String), type: expect.any(String) })
      }),
      { numRuns: 120 },
    )
  }
})
