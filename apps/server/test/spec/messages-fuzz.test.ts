import { messagesErrorReply } from '@svc/wire/messages'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { startTestServer } from '../support/server.ts'

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
const json = fc.jsonValue({ maxDepth: 2 })
const object = fc.dictionary(text, json, { maxKeys: 3 })

/** A key that is present, null or missing, as clients write optional fields. */
const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null | undefined> =>
  fc.option(fc.option(arbitrary, { nil: null }), { nil: undefined })

const textBlock = fc.record({ type: fc.constant('text'), text: fc.string({ unit: 'binary', maxLength: 12 }) })
const userBlock = fc.oneof(
  textBlock,
  fc.record({
    type: fc.constant('tool_result'),
    tool_use_id: text,
    content: optional(fc.oneof(text, fc.array(textBlock, { maxLength: 2 }))),
    is_error: optional(fc.boolean()),
  }),
)
const assistantBlock = fc.oneof(
  textBlock,
  fc.record({ type: fc.constant('tool_use'), id: text, name: text, input: object }),
  fc.record({ type: fc.constant('thinking'), thinking: text, signature: optional(text) }),
  fc.record({ type: fc.constant('redacted_thinking'), data: text }),
)
const message = fc.oneof(
  fc.record({ role: fc.constant('user'), content: fc.oneof(text, fc.array(userBlock, { maxLength: 3 })) }),
  fc.record({ role: fc.constant('assistant'), content: fc.oneof(text, fc.array(assistantBlock, { maxLength: 3 })) }),
  fc.record({ role: fc.constant('system'), content: text }),
)
const body = fc.record({
  model: fc.constant('m'),
  max_tokens: fc.integer({ min: 1, max: 20 }),
  messages: fc.array(message, { minLength: 1, maxLength: 4 }),
  system: optional(fc.oneof(text, fc.array(textBlock, { maxLength: 2 }))),
  tools: optional(
    fc.array(fc.record({ name: text, description: optional(text), input_schema: optional(object) }), { maxLength: 2 }),
  ),
  thinking: optional(
    fc.constantFrom({ type: 'adaptive' }, { type: 'disabled' }, { type: 'enabled', budget_tokens: 1 }),
  ),
  stop_sequences: optional(fc.array(text, { maxLength: 3 })),
  stream: optional(fc.boolean()),
  temperature: optional(fc.double({ min: 0, max: 2, noNaN: true })),
  top_p: optional(fc.double({ min: 0, max: 1, noNaN: true })),
  top_k: optional(fc.integer({ min: -1, max: 50 })),
  metadata: optional(object),
  unknown_key: json,
})

/** A body with any value under one key. */
const keys = ['model', 'max_tokens', 'messages', 'system', 'tools', 'tool_choice', 'thinking', 'stream', 'thread']
const broken = fc.tuple(body, fc.constantFrom(...keys), json).map(([valid, key, value]) => ({ ...valid, [key]: value }))
const blockKeys = ['type', 'text', 'source', 'content', 'tool_use_id', 'id', 'input', 'thinking']
const brokenBlock = fc
  .tuple(body, fc.oneof(userBlock, assistantBlock), fc.constantFrom(...blockKeys), json)
  .map(([valid, block, key, value]) => ({
    ...valid,
    messages: [{ role: 'assistant', content: [{ ...block, [key]: value }] }],
  }))

it('no body makes /v1/messages fail: valid ones are answered and counted, others are refused', async () => {
  await using server = await startTestServer()
  await server.model('m')
  await fc.assert(
    fc.asyncProperty(body, async (valid) => {
      const reply = await server.post('/v1/messages', valid)
      expect(reply.status, reply.text).toBe(200)
      const counted = await server.post('/v1/messages/count_tokens', valid)
      expect(counted.json(), counted.text).toEqual({ input_tokens: expect.any(Number) })
    }),
    { numRuns: 150 },
  )
  await fc.assert(
    fc.asyncProperty(fc.oneof(broken, brokenBlock), fc.constantFrom('', '/count_tokens'), async (wrong, route) => {
      const reply = await server.post(`/v1/messages${route}`, wrong)
      expect(reply.status, reply.text).toBeLessThan(500)
      if (reply.status !== 200) messagesErrorReply.parse(reply.json())
    }),
    { numRuns: 300 },
  )
})
