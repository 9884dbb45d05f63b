import fc from 'fast-check'
import { expect, it } from 'vitest'
import { startTestServer } from '../support/server.ts'

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
const tokens = fc.array(fc.nat({ max: 50_000 }), { minLength: 1, maxLength: 6 })
const count = fc.integer({ min: 1, max: 4 })

/** A key that is present, null or missing, as clients write optional fields. */
const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null | undefined> =>
  fc.option(fc.option(arbitrary, { nil: null }), { nil: undefined })

/** Bodies that each route accepts. */
const VALID: Readonly<Record<string, fc.Arbitrary<object>>> = {
  '/v1/completions': fc.record({
    prompt: fc.oneof(text, fc.array(text, { minLength: 1, maxLength: 1 }), tokens),
    stream: optional(fc.boolean()),
    n: optional(count),
    echo: optional(fc.boolean()),
    logprobs: optional(fc.oneof(fc.boolean(), fc.integer({ min: 0, max: 5 }))),
    stop: optional(fc.oneof(text, fc.array(text, { maxLength: 3 }))),
    max_tokens: optional(fc.nat({ max: 20 })),
    temperature: optional(fc.double({ min: 0, max: 2, noNaN: true })),
    suffix: optional(text),
    unknown_key: fc.jsonValue({ maxDepth: 2 }),
  }),
  '/v1/edits': fc.record({
    instruction: text,
    input: optional(fc.oneof(text, fc.array(text, { minLength: 1, maxLength: 3 }))),
    n: optional(count),
    max_tokens: optional(fc.nat({ max: 20 })),
    temperature: optional(fc.double({ min: 0, max: 2, noNaN: true })),
    unknown_key: fc.jsonValue({ maxDepth: 2 }),
  }),
  '/v1/embeddings': fc.record({
    input: fc.oneof(text, tokens, fc.array(fc.oneof(text, tokens), { minLength: 1, maxLength: 5 })),
    encoding_format: optional(fc.constantFrom('float', 'base64')),
    dimensions: optional(fc.integer({ min: 1, max: 64 })),
    user: optional(text),
    unknown_key: fc.jsonValue({ maxDepth: 2 }),
  }),
  '/v1/rerank': fc.record({
    query: text,
    documents: fc.array(fc.oneof(text, fc.record({ text })), { maxLength: 6 }),
    top_n: optional(count),
    return_documents: optional(fc.boolean()),
    unknown_key: fc.jsonValue({ maxDepth: 2 }),
  }),
  '/v1/tokenize': fc.record({ content: fc.string({ unit: 'grapheme', maxLength: 30 }) }),
  '/v1/detokenize': fc.record({ tokens: fc.array(fc.nat({ max: 2 ** 31 - 1 }), { maxLength: 8 }) }),
  '/api/score': fc.record({
    prompt: fc.string({ unit: 'grapheme', maxLength: 30 }),
    candidates: fc.array(text, { minLength: 1, maxLength: 4 }),
    length_normalize: optional(fc.boolean()),
    include_token_logprobs: optional(fc.boolean()),
  }),
}

/** A body with any value under any key. */
function broken(valid: fc.Arbitrary<object>): fc.Arbitrary<unknown> {
  const anything = fc.jsonValue({ maxDepth: 3 })
  const twisted = fc
    .tuple(valid, fc.array(fc.tuple(fc.nat(), anything), { minLength: 1, maxLength: 3 }))
    .map(([body, changes]) => {
      const keys = [...Object.keys(body), 'model', 'model_id']
      return { ...body, ...Object.fromEntries(changes.map(([place, value]) => [keys[place % keys.length], value])) }
    })
  return fc.oneof({ weight: 4, arbitrary: twisted }, { weight: 1, arbitrary: anything })
}

it('bodies that fit are answered, any others refused with the reason: never a failure of the server', async () => {
  await using server = await startTestServer()
  await server.model('m', {}, { known_usecases: ['completion', 'embeddings', 'rerank', 'tokenize', 'score'] })
  for (const [path, valid] of Object.entries(VALID)) {
    await fc.assert(
      fc.asyncProperty(valid, async (body) => {
        const reply = await server.post(path, { model: 'm', ...body })
        expect(reply.status, reply.text).toBe(200)
      }),
      { numRuns: 60 },
    )
    await fc.assert(
      fc.asyncProperty(broken(valid), async (body) => {
        const reply = await server.post(`${path}?model=m`, body)
        expect([200, 400, 404, 422], reply.text).toContain(reply.status)
        if (reply.status !== 200) {
          expect(reply.json()).toEqual({
            ...(path === '/v1/rerank' ? { message: expect.any(String) } : {}),
            error: {
              code: expect.anything(),
              message: expect.any(String),
              type: 'invalid_request_error',
              param: reply.status === 404 ? 'model' : expect.toSatisfy(isParam),
            },
          })
        }
      }),
      { numRuns: 120 },
    )
  }
})

function isParam(value: unknown): boolean {
  return value === null || typeof value === 'string'
}
