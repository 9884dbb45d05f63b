import type { ChatCompletion } from '@svc/wire/openai'
import { describe, expect, it } from 'vitest'
import { readCompatibleReply } from './compatible-reply.ts'
import { createTranslator, type TranslatorOptions } from './translator.ts'

const NEW_ID = expect.stringMatching(/^call_\w{24}$/)
const now = () => 1_700_000_000_999
const bytes = (value: unknown) => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))
const read = (value: unknown, options: Partial<TranslatorOptions> = {}): ChatCompletion =>
  createTranslator({ provider: 'provider_b', mode: 'full', model: 'm', now, ...options }).reply(bytes(value))
const failure = (code: string, message = expect.any(String)) =>
  expect.objectContaining({ kind: 'upstream_failed', code, message })

const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'large-1',
  content: [
    { type: 'thinking', thinking: 'hm, ', signature: 's' },
    { type: 'text', text: 'It is ' },
    { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 1 } },
    { type: 'thinking', thinking: 'right' },
    { type: 'text', text: 'warm.' },
    { type: 'tool_use', id: 'toolu_2', name: 'g', input: {} },
    { type: 'hologram' },
  ],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 3, cache_creation_input_tokens: 2 },
}
const usage = {
  prompt_tokens: 15,
  completion_tokens: 5,
  total_tokens: 20,
  prompt_tokens_details: { cached_tokens: 3, cache_creation_tokens: 2 },
}

describe('a message', () => {
  it('is a chat reply with its calls, thoughts and figures', () => {
    expect(read(message)).toEqual({
      id: 'msg_1',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: 'large-1',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'It is warm.',
            refusal: null,
            reasoning: 'hm, right',
            thinking_blocks: [{ type: 'thinking', thinking: 'hm, ', signature: 's' }],
            tool_calls: [
              { index: 0, id: 'toolu_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
              { index: 1, id: 'toolu_2', type: 'function', function: { name: 'g', arguments: '{}' } },
            ],
          },
          finish_reason: 'tool_calls',
          logprobs: null,
        },
      ],
      usage,
    })
  })

  // verifies cloud-proxy:translate:text-only
  it('is its text alone in mode text, with the figures for billing', () => {
    const { choices, usage: figures } = read(message, { mode: 'text' })
    expect(choices[0]?.message).toEqual({ role: 'assistant', content: 'It is warm.', refusal: null })
    expect(choices[0]?.finish_reason).toBe('stop')
    expect(figures).toEqual(usage)
  })

  it('without content is empty text', () => {
    expect(read({ ...message, content: [] }).choices[0]?.message).toEqual({
      role: 'assistant',
      content: '',
      refusal: null,
    })
  })

  it('keeps the input of a call exactly as it was written', () => {
    const input = '{ "id": 12345678901234567890, "b": 1.0 }'
    const [choice] = read(JSON.stringify(message).replace('{"a":1}', input)).choices
    expect(choice?.message.tool_calls?.[0]?.function.arguments).toBe(input)
  })

  it('keeps a call whose input nests deeper than exact parsing goes', () => {
    const deep = `${'{"a":'.repeat(300)}1${'}'.repeat(300)}`
    const [choice] = read(JSON.stringify(message).replace('{"a":1}', deep)).choices
    expect(choice?.message.tool_calls?.[0]?.function.arguments).toBe(deep)
  })

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['tool_use', 'stop'],
    ['something_new', 'stop'],
    [null, 'stop'],
    ['constructor', 'stop'],
  ])('without calls that stops with %s ends with %s', (stop_reason, finish) => {
    const content = [{ type: 'text', text: 'hi' }]
    expect(read({ ...message, content, stop_reason }).choices[0]?.finish_reason).toBe(finish)
  })

  it.each([
    ['tool_use', 'tool_calls'],
    ['end_turn', 'tool_calls'],
    ['stop_sequence', 'tool_calls'],
    [null, 'tool_calls'],
    ['max_tokens', 'length'],
  ])('with calls that stops with %s ends with %s', (stop_reason, finish) => {
    expect(read({ ...message, stop_reason }).choices[0]?.finish_reason).toBe(finish)
    expect(read({ ...message, stop_reason }, { mode: 'text' }).choices[0]?.finish_reason).toBe(
      finish === 'length' ? finish : 'stop',
    )
  })

  it.each(['text', 'full'] as const)('that stops with a refusal is an error in mode %s', (mode) => {
    const reply = { ...message, stop_reason: 'refusal' }
    expect(() => read(reply, { mode })).toThrow(failure('upstream_refusal'))
  })

  it.each([
    [{ input_tokens: 1 }, { prompt_tokens: 1, completion_tokens: 0, total_tokens: 1 }],
    [{ output_tokens: 2 }, { prompt_tokens: 0, completion_tokens: 2, total_tokens: 2 }],
    [{ input_tokens: -1, output_tokens: 1.5 }, undefined],
    [{}, undefined],
    [undefined, undefined],
  ])('with the figures %j has the usage %j', (figures, expected) => {
    expect(read({ ...message, usage: figures }).usage).toEqual(expected)
  })
})

describe('a reply of the compatible format', () => {
  const choice = { index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }
  const reply = { id: 'c1', created: 7, model: 'large-1', choices: [choice] }
  const readA = (fields: object, mode: 'text' | 'full' = 'full') =>
    read({ ...reply, ...fields }, { provider: 'provider_a', mode })
  const readMessage = (fields: object, mode?: 'text' | 'full') =>
    readA({ choices: [{ ...choice, message: { role: 'assistant', ...fields } }] }, mode).choices[0]?.message

  it('keeps its first choice and its figures', () => {
    const figures = {
      prompt_tokens: 4,
      completion_tokens: 2,
      total_tokens: 6,
      prompt_tokens_details: { cached_tokens: 3, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 1 },
    }
    expect(readA({ choices: [choice, { ...choice, index: 1 }], usage: figures, x: 1 })).toEqual({
      id: 'c1',
      object: 'chat.completion',
      created: 7,
      model: 'large-1',
      choices: [{ ...choice, message: { role: 'assistant', content: 'hi', refusal: null }, logprobs: null }],
      usage: {
        prompt_tokens: 4,
        completion_tokens: 2,
        total_tokens: 6,
        prompt_tokens_details: { cached_tokens: 3 },
        completion_tokens_details: { reasoning_tokens: 1 },
      },
    })
  })

  it('may say little of itself', () => {
    expect(readA({ id: undefined, created: undefined, model: 1 })).toMatchObject({
      id: '',
      created: 1_700_000_000,
      model: '',
    })
  })

  it.each([
    [{ content: null }, { content: null, refusal: null }],
    [
      { content: null, refusal: 'no' },
      { content: 'no', refusal: 'no' },
    ],
    [
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      { content: 'ab', refusal: null },
    ],
    [
      { content: 'a', reasoning: 'r' },
      { content: 'a', refusal: null, reasoning: 'r' },
    ],
    [
      { content: 'a', reasoning_content: 'r' },
      { content: 'a', refusal: null, reasoning: 'r' },
    ],
  ])('with the message %j has %j', (fields, expected) => {
    expect(readMessage(fields)).toEqual({ role: 'assistant', ...expected })
  })

  it('has calls in the newer form, with arguments that are never empty', () => {
    const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '' } }
    expect(readMessage({ tool_calls: [call, { function: { name: 'g' } }, { id: 'x' }] })?.tool_calls).toEqual([
      { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } },
      { index: 1, id: NEW_ID, type: 'function', function: { name: 'g', arguments: '{}' } },
    ])
    expect(readMessage({ function_call: { name: 'f', arguments: '{"a":1}' } })?.tool_calls).toEqual([
      { index: 0, id: NEW_ID, type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
    ])
  })

  it('has each call of its list, whatever ids, names and arguments they share', () => {
    const same = { id: 'a', function: { name: 'f', arguments: '{}' } }
    const [first, ...rest] = readMessage({ tool_calls: [same, same, same] })?.tool_calls ?? []
    expect(first?.id).toBe('a')
    expect(rest.map(({ id, index }) => [id, index])).toEqual([
      [NEW_ID, 1],
      [NEW_ID, 2],
    ])
    expect(new Set(rest.map(({ id }) => id)).size).toBe(2)
  })

  it.each([
    ['an object', '{"id": 12345678901234567890, "b": 1.0}', '{"id": 12345678901234567890, "b": 1.0}'],
    ['an empty object', '{}', '{}'],
    ['an empty list', '[]', '{}'],
    ['a list', '[1, 2]', '[1, 2]'],
    ['null', 'null', '{}'],
    ['blank text', '" "', '{}'],
    ['a number', '1.0', '1.0'],
  ])('has arguments that are %s as JSON text', (_, given, expected) => {
    const body = `{"choices":[{"message":{"tool_calls":[{"function":{"name":"f","arguments":"1"}},{"function":{"name":"g","arguments":${given}}}]}}]}`
    const { choices } = readCompatibleReply(new TextEncoder().encode(body), { mode: 'full', now: () => 0 })
    expect(choices[0]?.message.tool_calls?.map((call) => call.function.arguments)).toEqual(['1', expected])
  })

  it.each([
    ['stop', [{ function: { name: 'f' } }], 'tool_calls'],
    ['function_call', [{ function: { name: 'f' } }], 'tool_calls'],
    [null, [{ function: { name: 'f' } }], 'tool_calls'],
    ['length', [{ function: { name: 'f' } }], 'length'],
    ['content_filter', [{ function: { name: 'f' } }], 'content_filter'],
    ['tool_calls', [], 'stop'],
    ['model_length', [], 'length'],
    ['max_tokens', [], 'length'],
  ])('that ends with %s and calls %j ends with %s', (finish_reason, tool_calls, finish) => {
    const ended = readA({ choices: [{ ...choice, message: { ...choice.message, tool_calls }, finish_reason }] })
    expect(ended.choices[0]?.finish_reason).toBe(finish)
  })

  it('is its text alone in mode text', () => {
    const fields = { content: null, reasoning: 'r', tool_calls: [{ id: 'a', function: { name: 'f' } }] }
    expect(readMessage(fields, 'text')).toEqual({ role: 'assistant', content: '', refusal: null })
    const ended = readA({ choices: [{ ...choice, finish_reason: 'tool_calls' }] }, 'text')
    expect(ended.choices[0]?.finish_reason).toBe('stop')
  })

  it.each([
    ['content_filter', 'content_filter'],
    ['length', 'length'],
    ['eos', 'stop'],
    [null, 'stop'],
  ])('that finishes with %s finishes with %s', (finish_reason, expected) => {
    expect(readA({ choices: [{ ...choice, finish_reason }] }).choices[0]?.finish_reason).toBe(expected)
  })
})

describe.each(['provider_a', 'provider_b'] as const)('invalid replies of %s', (provider) => {
  it.each(['', 'not JSON', '[]', '{}', 'null', '{"choices":[]}', '{"choices":[{}]}', '{"content":"x"}'])(
    '%j',
    (body) => {
      expect(() => read(body, { provider })).toThrow(failure('upstream_unreadable'))
    },
  )

  it('except that an error under status 200 is quoted, cut short', () => {
    const error = { type: 'overloaded_error', message: `too\nmuch ${'é'.repeat(600)}` }
    expect(() => read({ error }, { provider })).toThrow(
      expect.objectContaining({
        code: 'upstream_error',
        details: { type: 'overloaded_error' },
        message: expect.stringMatching(/^the upstream failed: too much é+$/),
      }),
    )
    expect(() => read({ error: 'plain' }, { provider })).toThrow(
      failure('upstream_error', 'the upstream failed: plain'),
    )
    expect(() => read({ type: 'error' }, { provider })).toThrow(
      failure('upstream_error', 'the upstream failed: no reason given'),
    )
  })
})
