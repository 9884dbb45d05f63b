import { messagesRequest } from '@svc/wire/messages'
import { chatCompletionRequest } from '@svc/wire/openai'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { chatToDomain } from '../openai/chat/to-domain.ts'
import { messagesToDomain } from './to-domain.ts'

/** One step of a conversation that both formats can express. */
type Turn =
  | { readonly type: 'user'; readonly text: string }
  | {
      readonly type: 'assistant'
      readonly text: string
      readonly thought: string
      readonly calls: readonly { readonly id: string; readonly input: Readonly<Record<string, unknown>> }[]
    }

const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
const call = fc.record({ id: word, input: fc.dictionary(word, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 }) })
const turn: fc.Arbitrary<Turn> = fc.oneof(
  fc.record({ type: fc.constant('user' as const), text: word }),
  fc.record({
    type: fc.constant('assistant' as const),
    text: word,
    thought: word,
    calls: fc.array(call, { maxLength: 2 }),
  }),
)

function toChat(turns: readonly Turn[]): unknown[] {
  return turns.flatMap((one): unknown[] => {
    if (one.type === 'user') return [{ role: 'user', content: one.text }]
    const tool_calls = one.calls.map(({ id, input }) => ({
      id,
      type: 'function',
      function: { name: 'f', arguments: JSON.stringify(input) },
    }))
    return [
      {
        role: 'assistant',
        content: [{ type: 'text', text: one.text }],
        reasoning_content: one.thought,
        ...(tool_calls.length > 0 ? { tool_calls } : {}),
      },
      ...one.calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: `result of ${id}` })),
    ]
  })
}

function toMessages(turns: readonly Turn[]): unknown[] {
  return turns.flatMap((one): unknown[] => {
    if (one.type === 'user') return [{ role: 'user', content: one.text }]
    const content = [
      { type: 'thinking', thinking: one.thought, signature: 's' },
      { type: 'text', text: one.text },
      ...one.calls.map(({ id, input }) => ({ type: 'tool_use', id, name: 'f', input })),
    ]
    const results = one.calls.map(({ id }) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: `result of ${id}`,
    }))
    return [{ role: 'assistant', content }, ...(results.length > 0 ? [{ role: 'user', content: results }] : [])]
  })
}

/** Drops undefined fields, which mean the same as absent ones. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

it('a conversation is the same in both formats, its tools too', () => {
  const parameters = { type: 'object', properties: { a: { type: 'string' } } }
  const choices = [
    [undefined, undefined],
    ['auto', { type: 'auto' }],
    ['required', { type: 'any' }],
    ['none', { type: 'none' }],
    [
      { type: 'function', function: { name: 'f' } },
      { type: 'tool', name: 'f' },
    ],
  ] as const
  fc.assert(
    fc.property(
      fc.array(turn, { minLength: 1, maxLength: 5 }),
      word,
      fc.constantFrom(...choices),
      (turns, system, choice) => {
        const shared = { model: 'm', max_tokens: 7, temperature: 0.5, top_p: 0.25, top_k: 3, stream: true }
        const chat = chatToDomain(
          chatCompletionRequest.parse({
            ...shared,
            messages: [{ role: 'system', content: system }, ...toChat(turns)],
            stop: ['x'],
            tools: [{ type: 'function', function: { name: 'f', description: 'd', parameters } }],
            tool_choice: choice[0],
          }),
        )
        const messages = messagesToDomain(
          messagesRequest.parse({
            ...shared,
            system,
            messages: toMessages(turns),
            stop_sequences: ['x'],
            tools: [{ name: 'f', description: 'd', input_schema: parameters }],
            tool_choice: choice[1],
          }),
        )
        const { generation, ...rest } = chat
        expect(plain(messages)).toEqual(plain({ ...rest, generation: { ...generation, logprobs: undefined } }))
      },
    ),
  )
})
