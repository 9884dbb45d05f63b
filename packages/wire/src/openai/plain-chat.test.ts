import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_INT32 } from '../scalars.ts'
import { chatCompletionRequest } from './chat.ts'
import { CHAT_ROLES } from './chat-message.ts'
import { isPlainChat } from './plain-chat.ts'

/** Values of every kind, with the bounds of the fields and what lies beside them. */
const anything = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, '', 'auto', [], {}, ['x'], { type: 'text' }, { url: 'x' }),
  fc.constantFrom(-0, -1, -2, -2.1, 0.5, 1, 1.1, 2, 2.1, 128, 129, 1e39, MAX_INT32, MAX_INT32 + 1, -MAX_INT32 - 1),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.MAX_SAFE_INTEGER + 1),
  fc.integer(),
  fc.double(),
  fc.string(),
)
const message = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ role: fc.constantFrom(...CHAT_ROLES), content: fc.string() }, { noNullPrototype: true }),
  },
  fc.record(
    {
      role: fc.oneof(fc.constantFrom(...CHAT_ROLES), anything),
      content: fc.oneof(fc.string(), anything, fc.array(fc.record({ type: fc.constant('text'), text: anything }))),
      name: anything,
      tool_calls: anything,
      other: anything,
    },
    { requiredKeys: [], noNullPrototype: true },
  ),
  anything,
)
/** Every field of the schema, and others. */
const fields = Object.fromEntries(
  [...Object.keys(chatCompletionRequest.shape), 'other'].map((name) => [name, anything]),
)
const rest = fc
  .subarray(Object.keys(fields), { maxLength: 4 })
  .chain((names) =>
    fc.record(Object.fromEntries(names.map((name) => [name, fields[name] ?? anything])), { noNullPrototype: true }),
  )
const body = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(rest, fc.array(message, { maxLength: 3 })) },
  fc.tuple(rest, anything),
)

describe('a plain chat', () => {
  it('is one that the schema takes and gives back as it came', () => {
    let plain = 0
    const check = ([others, messages]: readonly [object, unknown]): void => {
      const chat = { ...others, messages }
      if (!isPlainChat(chat)) return
      plain += 1
      expect(chatCompletionRequest.safeParse(chat)).toStrictEqual({ success: true, data: chat })
    }
    fc.assert(fc.property(body, check), { numRuns: 20_000 })
    expect(plain).toBeGreaterThan(200)
  })

  it('may have the common fields', () => {
    const chat = {
      messages: [
        { role: 'system', content: 's' },
        { role: 'user', content: '' },
      ],
    }
    const sampling = { temperature: 0, top_p: 1, top_k: -1, n: 1, max_tokens: 5, seed: 7, stream: false, user: 'u' }
    expect(isPlainChat({ model: 'm', ...sampling, ...chat })).toBe(true)
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a list', []],
    ['no messages', { model: 'm' }],
    ['an empty conversation', { messages: [] }],
    ['tools', { messages: [{ role: 'user', content: 'x' }], tools: [] }],
    ['an unknown field', { messages: [{ role: 'user', content: 'x' }], other: 1 }],
    ['a message with parts', { messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] }],
    ['a message with a name', { messages: [{ role: 'user', content: 'x', name: 'n' }] }],
    ['an unknown role', { messages: [{ role: 'other', content: 'x' }] }],
    ['a field that is null', { messages: [{ role: 'user', content: 'x' }], seed: null }],
  ])('is not %s', (_, chat) => {
    expect(isPlainChat(chat)).toBe(false)
  })
})
