import fc from 'fast-check'
import { expect, it } from 'vitest'
import { startTestServer } from '../support/server.ts'

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
const json = fc.jsonValue({ maxDepth: 2 })

/** A key that is present, null or missing, as clients write optional fields. */
const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null | undefined> =>
  fc.option(fc.option(arbitrary, { nil: null }), { nil: undefined })

const content = fc.oneof(
  text,
  fc.array(fc.record({ type: fc.constantFrom('input_text', 'output_text'), text }), { maxLength: 3 }),
)
const item = fc.oneof(
  fc.record({ role: fc.constantFrom('user', 'assistant', 'system', 'developer'), content }),
  fc.record({ type: fc.constant('reasoning'), summary: fc.array(fc.record({ text }), { maxLength: 2 }) }),
  fc.record({ type: fc.constant('function_call'), call_id: text, name: text, arguments: text }),
  fc.record({ type: fc.constant('function_call_output'), call_id: text, output: content }),
)
const body = fc.record({
  model: fc.constant('m'),
  input: fc.oneof(text, fc.array(item, { maxLength: 4 })),
  instructions: optional(text),
  store: optional(fc.boolean()),
  stream: optional(fc.boolean()),
  tools: optional(
    fc.array(fc.record({ type: fc.constantFrom('function', 'web_search'), name: text }), { maxLength: 2 }),
  ),
  parallel_tool_calls: optional(fc.boolean()),
  max_output_tokens: optional(fc.nat({ max: 20 })),
  temperature: optional(fc.double({ min: 0, max: 2, noNaN: true })),
  top_logprobs: optional(fc.nat({ max: 20 })),
  metadata: optional(fc.dictionary(text, text, { maxKeys: 2 })),
  unknown_key: json,
})

/** A body with any value under one key. */
const broken = fc
  .tuple(
    body,
    fc.constantFrom('model', 'input', 'tools', 'tool_choice', 'text', 'previous_response_id', 'stream'),
    json,
  )
  .map(([valid, key, value]) => ({ ...valid, [key]: value }))
const brokenItem = fc
  .tuple(body, item, fc.constantFrom('role', 'type', 'content', 'output', 'call_id', 'id'), json)
  .map(([valid, one, key, value]) => ({ ...valid, input: [{ ...one, [key]: value }] }))

it('no body makes /v1/responses fail: valid ones are answered, others are refused', async () => {
  await using server = await startTestServer()
  await server.model('m')
  await fc.assert(
    fc.asyncProperty(body, async (valid) => {
      expect((await server.post('/v1/responses', valid)).status).toBe(200)
    }),
    { numRuns: 150 },
  )
  await fc.assert(
    fc.asyncProperty(fc.oneof(broken, brokenItem), async (wrong) => {
      const reply = await server.post('/v1/responses', wrong)
      expect(reply.status, reply.text).toBeLessThan(500)
    }),
    { numRuns: 300 },
  )
})
