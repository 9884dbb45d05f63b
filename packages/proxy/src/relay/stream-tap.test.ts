import { describe, expect, it } from 'vitest'
import { createStreamTap, type StreamTap } from './stream-tap.ts'

function createTap(provider: 'provider_a' | 'provider_b', ...events: string[]): StreamTap {
  const tap = createStreamTap(provider)
  for (const event of events) tap.read(`${event}\n\n`)
  return tap
}

const chunk = (fields: object): string => `data: ${JSON.stringify({ object: 'chat.completion.chunk', ...fields })}`

describe('figures of a stream', () => {
  it('are the last that were given', () => {
    const one = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 }
    const two = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
    const tap = createTap('provider_a', chunk({ usage: one }), `${chunk({ usage: two })}\n\n${chunk({ usage: null })}`)
    expect(tap.usage).toMatchObject(two)
  })

  it.each(['"usage":', '"usage": ', '"usage" :', '"usage"\t:  '])('are read behind %j', (name) => {
    const tap = createTap('provider_a', `data: {${name}{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`)
    expect(tap.usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 2 })
  })

  it('are not taken from texts that end like their name', () => {
    const content = chunk({ choices: [{ delta: { content: 'the page' } }], message: 'usage' })
    expect(createTap('provider_a', content, 'data: "usage"', ': "usage"').usage).toBeUndefined()
  })

  it('are read once a line, however often it names them', () => {
    const figures = '"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}'
    const line = `data: {${Array.from({ length: 20_000 }, () => figures).join(',')}}`
    // Searching once for each name would take minutes.
    expect(createTap('provider_a', line).usage).toMatchObject({ prompt_tokens: 3 })
  })

  it('of messages come in two events', () => {
    const start = { type: 'message_start', message: { usage: { input_tokens: 7, output_tokens: 1 } } }
    const delta = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } }
    const events = [start, delta].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}`)
    const tap = createTap('provider_b', ...events)
    expect(tap.usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 9 })
    expect(tap.stopReason).toBe('end_turn')
  })
})

describe('the size of the answer of a stream', () => {
  const delta = (fields: object, rest: object = {}) => chunk({ choices: [{ index: 0, delta: fields }], ...rest })
  const event = (type: string, fields: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}`
  const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 }
  const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'get', arguments: '{"a":1}' } }

  it.each<[string, 'provider_a' | 'provider_b', string[], number, number]>([
    ['nothing', 'provider_a', [], 0, 0],
    ['text', 'provider_a', [delta({ role: 'assistant', content: '' }), delta({ content: 'hello' })], 5, 5],
    ['thoughts', 'provider_a', [delta({ reasoning_content: 'hm' }), delta({ reasoning: 'so' })], 4, 4],
    // As it is written: each quote is escaped.
    ['a call', 'provider_a', [delta({ tool_calls: [call] })], 3 + 9, 3 + 9],
    ['text before figures', 'provider_a', [delta({ content: 'hello' }), chunk({ choices: [], usage })], 5, 0],
    ['text with its figures', 'provider_a', [delta({ content: 'hello' }, { usage })], 5, 0],
    [
      'text before and behind figures',
      'provider_a',
      [`${delta({ content: 'hello' }, { usage })}\n\n${delta({ content: 'you' })}`],
      8,
      3,
    ],
    ['figures that say nothing', 'provider_a', [delta({ content: 'hello' }), chunk({ usage: {} })], 5, 5],
    ['an answer with blanks', 'provider_a', ['data: {"choices": [{"delta": {"content": "a\\"b\\n"}}]}'], 6, 6],
    ['a text about deltas', 'provider_a', [delta({ content: '"delta":{"content":"xyz"}' })], 31, 31],
    [
      'messages that break off',
      'provider_b',
      [
        event('message_start', { message: { content: [], usage: { input_tokens: 7, output_tokens: 1 } } }),
        event('content_block_start', { content_block: { type: 'text', text: 'a' } }),
        event('content_block_delta', { delta: { type: 'text_delta', text: 'hello' } }),
        event('content_block_delta', { delta: { type: 'thinking_delta', thinking: 'hm' } }),
        event('content_block_delta', { delta: { type: 'signature_delta', signature: 'sssss' } }),
      ],
      8,
      8,
    ],
    [
      'messages that end',
      'provider_b',
      [
        event('content_block_delta', { delta: { type: 'input_json_delta', partial_json: '{}' } }),
        event('message_delta', { delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } }),
      ],
      2,
      0,
    ],
  ])('of %s', (_, provider, events, bytes, uncounted) => {
    expect(createTap(provider, ...events).answer).toMatchObject({ bytes, uncounted })
  })

  it('is measured in one pass', () => {
    const opened = `data: {${'"delta":['.repeat(50_000)}`
    const quoted = `data: {"delta":"${'\\'.repeat(200_000)}`
    for (const provider of ['provider_a', 'provider_b'] as const) createTap(provider, opened, quoted, opened + quoted)
  })
})
