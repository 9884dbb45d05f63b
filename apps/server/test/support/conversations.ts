import fc from 'fast-check'

/** One turn in no format. */
export type Turn =
  | { readonly by: 'user' | 'assistant'; readonly text: string }
  | {
      readonly by: 'tool'
      /** Text of the assistant before its calls. */
      readonly text: string
      readonly id: string
      readonly arguments: Readonly<Record<string, unknown>>
      readonly result: string
    }

/** A conversation, with the options of its answer. */
export interface Conversation {
  readonly system: string | undefined
  readonly turns: readonly Turn[]
  readonly temperature: number | undefined
  readonly topP: number | undefined
  readonly maxTokens: number
  readonly stop: readonly string[]
  readonly hasTools: boolean
  readonly stream: boolean
}

const TOOL = 'weather'
const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } } }
const DESCRIPTION = 'The weather of a city'

/** Texts that no format treats as empty. */
const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((each) => each.trim() !== '')
const share = fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined })
const answer: fc.Arbitrary<Turn> = fc.oneof(
  fc.record({ by: fc.constant('assistant'), text }),
  fc.record({
    by: fc.constant('tool'),
    text: fc.oneof(fc.constant(''), text),
    id: fc.uuid(),
    arguments: fc.dictionary(fc.constantFrom('city', 'day'), fc.oneof(text, fc.integer()), { maxKeys: 2 }),
    result: text,
  }),
)
const question: fc.Arbitrary<Turn> = fc.record({ by: fc.constant('user'), text })

/** Conversations in which users and models take turns. */
export const conversation: fc.Arbitrary<Conversation> = fc
  .record({
    system: fc.option(text, { nil: undefined }),
    exchanges: fc.array(fc.tuple(question, answer), { maxLength: 3 }),
    last: question,
    temperature: share,
    topP: share,
    maxTokens: fc.integer({ min: 1, max: 30 }),
    stop: fc.uniqueArray(text, { maxLength: 2 }),
    hasTools: fc.boolean(),
    stream: fc.boolean(),
  })
  .map(({ exchanges, last, ...rest }) => ({ ...rest, turns: [...exchanges.flat(), last] }))

/** Tokens read and written, as in a reply. */
export interface Figures {
  readonly read: unknown
  readonly written: unknown
}

/** A format that can carry a conversation. */
export interface ConversationFormat {
  readonly path: string
  /** Whether calls have ids on the wire. */
  readonly hasIds: boolean
  body(model: string, asked: Conversation): object
  /** Reads the figures of a reply: from its body, or from the values of its events. */
  figures(values: readonly Record<string, unknown>[]): Figures
}

const CHAT_TOOL = { type: 'function', function: { name: TOOL, description: DESCRIPTION, parameters: PARAMETERS } }

const sampling = ({ temperature, topP }: Conversation) => ({ temperature, top_p: topP })

const lastWith = (values: readonly Record<string, unknown>[], key: string): Record<string, unknown> =>
  Object(values.findLast((value) => value[key] != null)?.[key])

const chatFormat: ConversationFormat = {
  path: '/v1/chat/completions',
  hasIds: true,
  body: (model, asked) => ({
    model,
    messages: [
      ...(asked.system === undefined ? [] : [{ role: 'system', content: asked.system }]),
      ...asked.turns.flatMap((turn): object[] => {
        if (turn.by !== 'tool') return [{ role: turn.by, content: turn.text }]
        const called = { name: TOOL, arguments: JSON.stringify(turn.arguments) }
        return [
          {
            role: 'assistant',
            content: turn.text || null,
            tool_calls: [{ id: turn.id, type: 'function', function: called }],
          },
          { role: 'tool', tool_call_id: turn.id, content: turn.result },
        ]
      }),
    ],
    ...sampling(asked),
    max_tokens: asked.maxTokens,
    stop: asked.stop,
    ...(asked.hasTools ? { tools: [CHAT_TOOL] } : {}),
    stream: asked.stream,
    ...(asked.stream ? { stream_options: { include_usage: true } } : {}),
  }),
  figures(values) {
    const usage = lastWith(values, 'usage')
    return { read: usage.prompt_tokens, written: usage.completion_tokens }
  },
}

const messagesFormat: ConversationFormat = {
  path: '/v1/messages',
  hasIds: true,
  body: (model, asked) => ({
    model,
    system: asked.system,
    messages: asked.turns.flatMap((turn): object[] => {
      if (turn.by !== 'tool') return [{ role: turn.by, content: turn.text }]
      const said = turn.text === '' ? [] : [{ type: 'text', text: turn.text }]
      const call = { type: 'tool_use', id: turn.id, name: TOOL, input: turn.arguments }
      return [
        { role: 'assistant', content: [...said, call] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: turn.id, content: turn.result }] },
      ]
    }),
    ...sampling(asked),
    max_tokens: asked.maxTokens,
    stop_sequences: asked.stop,
    ...(asked.hasTools ? { tools: [{ name: TOOL, description: DESCRIPTION, input_schema: PARAMETERS }] } : {}),
    stream: asked.stream,
  }),
  figures(values) {
    const usage = lastWith(values, 'usage')
    return { read: usage.input_tokens, written: usage.output_tokens }
  },
}

const responsesFormat: ConversationFormat = {
  path: '/v1/responses',
  hasIds: true,
  body: (model, asked) => ({
    model,
    instructions: asked.system,
    input: asked.turns.flatMap((turn): object[] => {
      if (turn.by !== 'tool') return [{ role: turn.by, content: turn.text }]
      const said = turn.text === '' ? [] : [{ role: 'assistant', content: turn.text }]
      return [
        ...said,
        { type: 'function_call', call_id: turn.id, name: TOOL, arguments: JSON.stringify(turn.arguments) },
        { type: 'function_call_output', call_id: turn.id, output: turn.result },
      ]
    }),
    ...sampling(asked),
    max_output_tokens: asked.maxTokens,
    stop: asked.stop,
    ...(asked.hasTools
      ? { tools: [{ type: 'function', name: TOOL, description: DESCRIPTION, parameters: PARAMETERS }] }
      : {}),
    stream: asked.stream,
  }),
  figures(values) {
    const response = values.findLast((value) => value.response !== undefined)?.response ?? values[0]
    const usage = Object(Object(response).usage)
    return { read: usage.input_tokens, written: usage.output_tokens }
  },
}

const ollamaFormat: ConversationFormat = {
  path: '/api/chat',
  hasIds: false,
  body: (model, asked) => ({
    model,
    messages: [
      ...(asked.system === undefined ? [] : [{ role: 'system', content: asked.system }]),
      ...asked.turns.flatMap((turn): object[] => {
        if (turn.by !== 'tool') return [{ role: turn.by, content: turn.text }]
        const called = { name: TOOL, arguments: turn.arguments }
        return [
          { role: 'assistant', content: turn.text, tool_calls: [{ function: called }] },
          { role: 'tool', tool_name: TOOL, content: turn.result },
        ]
      }),
    ],
    ...(asked.hasTools ? { tools: [CHAT_TOOL] } : {}),
    options: { ...sampling(asked), num_predict: asked.maxTokens, stop: asked.stop },
    stream: asked.stream,
  }),
  figures(values) {
    const last = values.at(-1) ?? {}
    return { read: last.prompt_eval_count, written: last.eval_count }
  },
}

/** Every format that can carry a conversation; the others are compared with the first one. */
export const CONVERSATION_FORMATS: readonly ConversationFormat[] = [
  chatFormat,
  messagesFormat,
  responsesFormat,
  ollamaFormat,
]
