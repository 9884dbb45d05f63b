import { Reply } from '@svc/backend-client/proto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FinishReason, PredictionEvent } from '../core/events.ts'
import { createReplyText } from '../prediction/reply-text.ts'
import { createReplyDecoder, readLogprobs } from './reply-decoder.ts'

const reply = (fields: Parameters<typeof Reply.fromPartial>[0]): Reply => Reply.fromPartial(fields)
const bytes = (text: string): Buffer => Buffer.from(text)
const joinText = (events: readonly PredictionEvent[]): string =>
  events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')

describe('createReplyDecoder', () => {
  it('joins bytes that are cut anywhere inside characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.array(fc.nat(), { maxLength: 8 }), (text, cuts) => {
        const whole = bytes(text)
        const places = [0, ...cuts.map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b), whole.length]
        const decoder = createReplyDecoder({ choice: 0, maxTokens: 0, contextSize: 0 })
        const events = places
          .slice(1)
          .flatMap((end, index) => decoder.reply(reply({ message: whole.subarray(places[index], end) })))
        expect(joinText([...events, ...decoder.end()])).toBe(new TextDecoder().decode(whole))
      }),
    )
  })

  it('reads counters as running totals, and keeps the last that says something', () => {
    const decoder = createReplyDecoder({ choice: 0, maxTokens: 0, contextSize: 0 })
    decoder.reply(reply({ tokens: 1, promptTokens: 7, timingPromptProcessing: 1.5 }))
    decoder.reply(reply({ tokens: 2 }))
    decoder.reply(reply({ timingTokenGeneration: Number.NaN }))
    expect(decoder.usage).toEqual({ promptTokens: 7, completionTokens: 2, promptMs: 1.5, generationMs: 0 })
  })

  it('names the stop text of the backend, unless the limit or a call ended the choice', () => {
    const ended = (maxTokens: number, chatDeltas: { toolCalls: { name: string; arguments: string }[] }[] = []) => {
      const decoder = createReplyDecoder({ choice: 0, maxTokens, contextSize: 0 })
      decoder.reply(reply({ tokens: 5, promptTokens: 10, chatDeltas }))
      return decoder.end({ stopText: 'END' }).at(-1)
    }
    const end = { type: 'choice-end', choice: 0 }
    expect(ended(0)).toEqual({ ...end, finishReason: 'stop', stopText: 'END' })
    expect(ended(5)).toEqual({ ...end, finishReason: 'length' })
    const call = { toolCalls: [{ name: 'f', arguments: '{}' }] }
    expect(ended(0, [call])).toEqual({ ...end, finishReason: 'tool_calls' })
  })

  it('ends with stop, or with length when the limit was reached', () => {
    const ended = (tokens: number, maxTokens: number, contextSize = 0) => {
      const decoder = createReplyDecoder({ choice: 3, maxTokens, contextSize })
      decoder.reply(reply({ tokens, promptTokens: 10 }))
      return decoder.end()
    }
    expect(ended(5, 6)).toEqual([{ type: 'choice-end', choice: 3, finishReason: 'stop' }])
    expect(ended(6, 6)).toEqual([{ type: 'choice-end', choice: 3, finishReason: 'length' }])
    expect(ended(6, 0)).toEqual([{ type: 'choice-end', choice: 3, finishReason: 'stop' }])
    expect(ended(6, 0, 16)).toEqual([{ type: 'choice-end', choice: 3, finishReason: 'length' }])
    expect(ended(6, 0, 17)).toEqual([{ type: 'choice-end', choice: 3, finishReason: 'stop' }])
  })

  it('ends as the backend says, whatever limits were sent; calls that the client does not see are no reason', () => {
    const call = (text: string) => [{ toolCalls: [{ name: 'f', arguments: text }] }]
    const ended = (finishReason: FinishReason, chatDeltas: ReturnType<typeof call> = []) => {
      const decoder = createReplyDecoder({ choice: 0, maxTokens: 5, contextSize: 15 })
      decoder.reply(reply({ tokens: 5, promptTokens: 10, chatDeltas }))
      const end = decoder.end({ finishReason }).at(-1)
      return end?.type === 'choice-end' ? end.finishReason : undefined
    }
    expect((['stop', 'length', 'content_filter', 'tool_calls'] as const).map((told) => ended(told))).toEqual([
      'stop',
      'length',
      'content_filter',
      'stop',
    ])
    expect([ended('stop', call('{}')), ended('length', call('{}')), ended('length', call('{"a'))]).toEqual([
      'tool_calls',
      'tool_calls',
      'length',
    ])
  })

  it('ends with stop behind a context that did not hold the answer up', () => {
    const reason = (tokens: number, promptTokens: number) => {
      const decoder = createReplyDecoder({ choice: 0, maxTokens: 0, contextSize: 64 })
      decoder.reply(reply({ tokens, promptTokens }))
      return decoder.end().map((event) => event.type === 'choice-end' && event.finishReason)
    }
    expect(reason(19, 48)).toEqual(['stop'])
    expect(reason(5, 5000)).toEqual(['stop'])
    expect(reason(65, 12)).toEqual(['stop'])
    // Engines that never read the last token count one token more than fits.
    expect(reason(17, 48)).toEqual(['length'])
    // An engine that shifts its context stops after as many tokens as its context holds.
    expect(reason(64, 12)).toEqual(['length'])
  })

  it('believes parsed deltas over the raw text, and gives every call one id', () => {
    const decoder = createReplyDecoder({ choice: 0, maxTokens: 0, contextSize: 0 })
    const events = [
      ...decoder.reply(reply({ message: bytes('<raw>'), chatDeltas: [{ reasoningContent: 'hm', content: 'text' }] })),
      ...decoder.reply(reply({ chatDeltas: [{ toolCalls: [{ index: 0, name: 'f', arguments: '{"a"' }] }] })),
      ...decoder.reply(
        reply({
          chatDeltas: [
            {
              toolCalls: [
                { index: 0, arguments: ':1}' },
                { index: 1, id: 'mine', name: 'g', arguments: '{}' },
              ],
            },
          ],
        }),
      ),
      ...decoder.end(),
    ]
    expect(events).toEqual([
      { type: 'reasoning-delta', choice: 0, text: 'hm' },
      { type: 'text-delta', choice: 0, text: 'text' },
      { type: 'tool-call-start', choice: 0, index: 0, id: expect.stringMatching(/^call_[0-9a-f]{24}$/), name: 'f' },
      { type: 'tool-call-delta', choice: 0, index: 0, arguments: '{"a"' },
      { type: 'tool-call-delta', choice: 0, index: 0, arguments: ':1}' },
      { type: 'tool-call-start', choice: 0, index: 1, id: 'mine', name: 'g' },
      { type: 'tool-call-delta', choice: 0, index: 1, arguments: '{}' },
      { type: 'choice-end', choice: 0, finishReason: 'tool_calls' },
    ])
  })
})

describe('calls of a backend that parses its own output', () => {
  const told = (deltas: readonly object[], options: object = {}) => {
    const decoder = createReplyDecoder({ choice: 0, maxTokens: 0, contextSize: 0, ...options })
    const events = [...decoder.reply(reply({ tokens: 5, chatDeltas: [...deltas] })), ...decoder.end()]
    return events.map((event) => {
      if (event.type === 'tool-call-start') return `${event.index} ${event.name}`
      if (event.type === 'tool-call-delta') return `${event.index} ${event.arguments}`
      return event.type === 'choice-end' ? event.finishReason : event.type
    })
  }
  const call = (index: number, name: string, text: string) => ({ toolCalls: [{ index, name, arguments: text }] })

  it('are numbered from 0, whatever number the backend starts with', () => {
    const far = 2 ** 31 - 1
    expect(
      told([call(far, 'f', '{"a"'), call(-7, 'g', '{}'), { toolCalls: [{ index: far, arguments: ':1}' }] }]),
    ).toEqual(['0 f', '0 {"a"', '1 g', '1 {}', '0 :1}', 'tool_calls'])
  })

  it('are one where the client wants one', () => {
    const deltas = [call(0, 'f', '{"a":1}'), call(1, 'g', '{"b":2}')]
    expect(told(deltas, { parallel: false })).toEqual(['0 f', '0 {"a":1}', 'tool_calls'])
    expect(told(deltas, { parallel: true })).toHaveLength(5)
  })

  it('that the limit cut off end as length; whole calls do not', () => {
    expect(told([call(0, 'f', '{"a": "b')], { maxTokens: 5 }).at(-1)).toBe('length')
    expect(told([call(0, 'f', '{"a": "b"}')], { maxTokens: 5 }).at(-1)).toBe('tool_calls')
    expect(told([call(0, 'f', '{"a": "b')], { maxTokens: 6 }).at(-1)).toBe('tool_calls')
  })
})

describe('log-probabilities', () => {
  const spelled = (tokens: readonly string[]) =>
    bytes(JSON.stringify({ content: tokens.map((token) => ({ token, logprob: -1, bytes: [...Buffer.from(token)] })) }))
  const joinTokens = (events: readonly PredictionEvent[]) =>
    events.flatMap((event) =>
      event.type === 'text-delta' ? [[event.text, ...(event.logprobs ?? []).map(({ token }) => token)]] : [],
    )
  const thinking = () =>
    createReplyDecoder({
      choice: 0,
      maxTokens: 0,
      contextSize: 0,
      text: createReplyText({ reasoning: {}, stream: true }),
    })

  it('of a whole answer are those of its text, without those of its reasoning', () => {
    const tokens = ['<think>', 'so', '</think>', 'Hi', ' there']
    const decoder = thinking()
    const logprobs = spelled(tokens)
    expect(
      joinTokens([...decoder.reply(reply({ message: bytes(tokens.join('')), logprobs })), ...decoder.end()]),
    ).toEqual([['Hi there', 'Hi', ' there']])
    const parsed = thinking().reply(
      reply({ message: bytes(''), logprobs, chatDeltas: [{ reasoningContent: 'so' }, { content: 'Hi there' }] }),
    )
    expect(joinTokens(parsed)).toEqual([['Hi there', 'Hi', ' there']])
  })

  it('of a stream leave out the tags, which the client does not see', () => {
    const decoder = thinking()
    const tokens = ['<think>', 'so', '</think>', 'Hi', ' there']
    const events = tokens.flatMap((token) =>
      decoder.reply(reply({ message: bytes(token), logprobs: spelled([token]) })),
    )
    expect(joinTokens([...events, ...decoder.end()])).toEqual([
      ['Hi', 'Hi'],
      [' there', ' there'],
    ])
  })

  it('of a text before a call stay with the text', () => {
    const decoder = thinking()
    const events = decoder.reply(
      reply({
        logprobs: spelled(['Look', ':', '{"a"', ':1}']),
        chatDeltas: [{ content: 'Look:' }, { toolCalls: [{ index: 0, name: 'f', arguments: '{"a":1}' }] }],
      }),
    )
    expect(joinTokens([...events, ...decoder.end()])).toEqual([['Look:', 'Look', ':']])
  })

  it('reach their text for any cuts', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { minLength: 1 }), (tokens) => {
        const decoder = createReplyDecoder({ choice: 0, maxTokens: 0, contextSize: 0 })
        const whole = decoder.reply(reply({ message: bytes(tokens.join('')), logprobs: spelled(tokens) }))
        expect(joinTokens([...whole, ...decoder.end()]).flatMap(([, ...own]) => own)).toEqual(tokens)
      }),
    )
  })
})

describe('readLogprobs', () => {
  it('reads the compatible shape with and without its wrapper', () => {
    const entry = { token: 'a', logprob: -0.5, bytes: [97], top_logprobs: [{ token: 'b', logprob: -1 }] }
    const expected = [
      { token: 'a', logprob: -0.5, bytes: [97], top_logprobs: [{ token: 'b', logprob: -1, bytes: null }] },
    ]
    expect(readLogprobs(bytes(JSON.stringify({ content: [entry] })))).toEqual(expected)
    expect(readLogprobs(bytes(JSON.stringify([entry])))).toEqual(expected)
  })

  it('survives anything a backend may send', () => {
    for (const text of ['', 'nonsense', '7', 'null', '{"content":7}']) expect(readLogprobs(bytes(text))).toBeUndefined()
    expect(readLogprobs(bytes('[1,null,{"token":1},{"token":"a","logprob":"x"}]'))).toEqual([])
    fc.assert(fc.property(fc.json(), (text) => void readLogprobs(bytes(text))))
  })
})
