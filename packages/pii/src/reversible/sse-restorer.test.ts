import { describe, expect, it } from 'vitest'
import type { ReplyFormat } from './reply-lanes.ts'
import { createSseRestorer } from './sse-restorer.ts'
import { createTokenMap } from './token-map.ts'

const map = createTokenMap({ texts: [] })
map.mask({ group: 'NAME' }, 'Jo "J" Doe')

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (chunks: readonly Uint8Array[]) => chunks.map((chunk) => new TextDecoder().decode(chunk)).join('')

/** The output for each chunk, and at the end. */
function run(format: ReplyFormat, chunks: readonly string[]): string[] {
  const restorer = createSseRestorer(format, map)
  return [...chunks.map((chunk) => decode(restorer.push(encode(chunk)))), decode(restorer.end())]
}

const chat = (delta: unknown, finish: string | null = null, index = 0) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index, delta, finish_reason: finish }] })}\n\n`

describe('a stream of chat completions', () => {
  it('is byte for byte the input when nothing is restored, spacing and comments too', () => {
    const stream =
      ': hello\n\nevent:x\r\ndata:  { "choices":[ {"delta":{"content":"[a] \\u00e9"} }]}\r\n\r\nid: 7\rdata: [DONE]\r\r'
    expect(run('chat-completions', [stream])).toEqual([stream, ''])
    expect(run('chat-completions', [...stream]).join('')).toBe(stream)
  })

  it('puts a value back that comes in one delta, and leaves the event as it was otherwise', () => {
    expect(
      run('chat-completions', [
        'data: { "choices" : [{"index":0,"delta":{"content":"I am [REDACTED:NAME_001]!"}}] }\n\n',
      ])[0],
    ).toBe('data: { "choices" : [{"index":0,"delta":{"content":"I am Jo \\"J\\" Doe!"}}] }\n\n')
  })

  it.each(['z🔑', '🔑z', '"q', '\n!', 'é'])('finds tokens that begin with %j', (prefix) => {
    const own = createTokenMap({ prefix, suffix: '>', texts: [] })
    const token = own.mask({ group: 'NAME' }, 'Jo')
    for (const cut of [0, ...[...prefix].map((_, index) => [...prefix].slice(0, index + 1).join('').length)]) {
      const restorer = createSseRestorer('chat-completions', own)
      const events = [token.slice(0, cut), token.slice(cut)].map((content) => encode(chat({ content })))
      const out = decode(events.flatMap((event) => restorer.push(event)))
      const texts = [...out.matchAll(/^data: (.*)$/gm)].map(
        ([, data = '']) => JSON.parse(data).choices[0].delta.content,
      )
      expect([cut, texts.join('')]).toEqual([cut, 'Jo'])
    }
  })

  it('holds back the beginning of a token until the next delta of its choice', () => {
    const [first, other, second] = run('chat-completions', [
      chat({ content: 'I am [REDACTED' }),
      chat({ content: 'me too' }, null, 1),
      chat({ content: ':NAME_001].' }),
    ])
    expect(first).toBe(chat({ content: 'I am ' }))
    expect(other).toBe(chat({ content: 'me too' }, null, 1))
    expect(second).toBe(chat({ content: 'Jo "J" Doe.' }))
  })

  it('held text goes out before a choice finishes, in a delta of the same shape', () => {
    const [, out] = run('chat-completions', [chat({ content: 'see [' }), chat({}, 'stop')])
    expect(out).toBe(chat({ content: '[' }) + chat({}, 'stop'))
    const call = (members: unknown) => ({ tool_calls: [{ index: 2, ...(members as object) }] })
    const [, late] = run('chat-completions', [
      chat(call({ id: 'x', function: { name: 'f', arguments: '{"a":"[RED' } })),
      chat({}, 'tool_calls'),
    ])
    expect(late).toBe(chat(call({ function: { arguments: '[RED' } })) + chat({}, 'tool_calls'))
  })

  it('held text goes out in the last delta if that has a text', () => {
    expect(run('chat-completions', [chat({ content: 'a [' }), chat({ content: 'b' }, 'stop')])[1]).toBe(
      chat({ content: '[b' }, 'stop'),
    )
  })

  it('held text goes out when the stream is cut, and is dropped when it reports an error', () => {
    expect(run('chat-completions', [chat({ content: 'a [' })]).at(-1)).toBe(chat({ content: '[' }))
    const failed = 'data: {"error":{"message":"no"}}\n\n'
    expect(run('chat-completions', [chat({ content: 'a [' }), failed]).slice(1)).toEqual([failed, ''])
  })

  it('held text goes out before the end mark', () => {
    expect(run('chat-completions', [chat({ content: '[' }), 'data: [DONE]\n\n'])[1]).toBe(
      `${chat({ content: '[' })}data: [DONE]\n\n`,
    )
  })

  it('an event over several lines is read as one', () => {
    const event = 'data: {"choices":[{"delta":\ndata:{"content":\n: note\ndata: "[REDACTED:NAME_001]"}}]}\n\n'
    expect(run('chat-completions', [...event]).join('')).toBe(event.replace('[REDACTED:NAME_001]', 'Jo \\"J\\" Doe'))
  })

  it('log probabilities stay', () => {
    const event =
      'data: {"choices":[{"delta":{"content":""},"logprobs":{"content":[{"token":"[REDACTED:NAME_001]"}]}}]}\n\n'
    expect(run('chat-completions', [event])[0]).toBe(event)
  })

  it('an event without end is refused once it is too large', () => {
    const restorer = createSseRestorer('chat-completions', map, { maxEventBytes: 64 })
    expect(() => restorer.push(encode(`data: ${'a'.repeat(64)}`))).toThrow(
      expect.objectContaining({ kind: 'too_large', code: 'sse_event_too_large' }),
    )
  })
})

const event = (data: { type: string }) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`

describe('a stream of messages', () => {
  const delta = (index: number, members: object) =>
    event({ type: 'content_block_delta', index, delta: members } as { type: string })

  it('the held text of a block goes out before its end', () => {
    const stop = event({ type: 'content_block_stop', index: 1 } as { type: string })
    const held = delta(1, { type: 'input_json_delta', partial_json: '{"a":"[REDACTED' })
    const rest = delta(1, { type: 'input_json_delta', partial_json: ':NAME_001] [' })
    expect(run('messages', [held, rest, stop]).slice(1)).toEqual([
      delta(1, { type: 'input_json_delta', partial_json: 'Jo \\"J\\" Doe ' }),
      delta(1, { type: 'input_json_delta', partial_json: '[' }) + stop,
      '',
    ])
  })

  it('pings in between are passed on', () => {
    const ping = event({ type: 'ping' })
    const held = delta(0, { type: 'thinking_delta', thinking: '[' })
    expect(run('messages', [held, ping])[1]).toBe(ping)
  })
})

describe('a stream of responses', () => {
  const numbered = (type: string, sequence_number: number, members: object) =>
    event({ type, sequence_number, item_id: 'i', output_index: 0, content_index: 0, ...members } as { type: string })

  it('deltas, final texts and the final resource are restored; a delta that was added is counted', () => {
    const whole = 'by [REDACTED:NAME_001] ['
    const out = run('responses', [
      numbered('response.output_text.delta', 4, { delta: 'by [REDACTED:NAME_0', logprobs: [] }),
      numbered('response.output_text.delta', 5, { delta: '01] [', logprobs: [] }),
      numbered('response.output_text.done', 6, { text: whole, logprobs: [] }),
      event({
        type: 'response.completed',
        sequence_number: 7,
        response: { output: [{ arguments: '{"a":"[REDACTED:NAME_001]"}' }] },
      } as {
        type: string
      }),
    ])
    const value = 'Jo "J" Doe'
    expect(out).toEqual([
      numbered('response.output_text.delta', 4, { delta: 'by ', logprobs: [] }),
      numbered('response.output_text.delta', 5, { delta: `${value} `, logprobs: [] }),
      numbered('response.output_text.delta', 6, { delta: '[', logprobs: [] }) +
        numbered('response.output_text.done', 7, { text: `by ${value} [`, logprobs: [] }),
      event({
        type: 'response.completed',
        sequence_number: 8,
        response: { output: [{ arguments: JSON.stringify({ a: value }) }] },
      } as {
        type: string
      }),
      '',
    ])
  })
})

it('completions: the end of a text', () => {
  const chunk = (text: string, finish_reason: string | null) =>
    `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, text, logprobs: null, finish_reason }] })}\n\n`
  expect(run('completions', [chunk('a [RED', null), chunk('', 'stop')])).toEqual([
    chunk('a ', null),
    chunk('[RED', 'stop'),
    '',
  ])
})
