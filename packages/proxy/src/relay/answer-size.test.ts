import { describe, expect, it } from 'vitest'
import { AnswerMeter, measureAnswer } from './answer-size.ts'

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const delta = (text: string) => event({ choices: [{ index: 0, delta: { content: text } }] })

describe('the answer in events', () => {
  it.each([
    ['', 0],
    ['data: [DONE]\n\n', 0],
    [delta('four'), 4],
    [delta('four') + delta('fives'), 9],
    [delta('a"b'), 4],
    ['data: {"choices":[{"delta" : {"content":"four"}}]}\n\n', 0],
    ['data: {"choices":[{"delta": \t{ "content" : "four" } }]}\n\n', 4],
    [event({ choices: [{ delta: { role: 'assistant', content: 'ab', refusal: 'c' } }] }), 3],
    [event({ choices: [{ delta: { tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f' } }] } }] }), 1],
    [event({ choices: [{ delta: {}, text: 'outside' }] }), 0],
    [event({ some_delta: { content: 'ab' } }), 0],
    ['data: {"delta":{"content":"unfin', 5],
    ['data: {"delta":{"content":', 0],
    ['data: {"delta":"text","other":"no"}', 4],
  ])('%j of chat completions is %i bytes', (events, bytes) => {
    expect(measureAnswer(events, 'provider_a', 'events')).toBe(bytes)
  })

  it.each([
    [event({ type: 'content_block_delta', delta: { type: 'text_delta', text: 'four' } }), 4],
    [event({ type: 'content_block_start', content_block: { type: 'tool_use', id: 'x', name: 'abc', input: {} } }), 3],
    [event({ type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: 'x' } }), 0],
    [event({ delta: { type: 'signature_delta', signature: 'long' } }), 0],
    [event({ delta: { thinking: 'abc', id: 'no' } }), 3],
  ])('%j of messages is %i bytes', (events, bytes) => {
    expect(measureAnswer(events, 'provider_b', 'events')).toBe(bytes)
  })
})

it.each([
  ['provider_a', { choices: [{ message: { role: 'assistant', content: 'abc' } }, { message: { content: 'de' } }] }, 5],
  ['provider_a', { delta: { content: 'abc' } }, 0],
  [
    'provider_b',
    {
      content: [
        { type: 'text', text: 'abc' },
        { type: 'text', text: 'de' },
      ],
      role: 'assistant',
    },
    5,
  ],
  ['provider_b', { message: { text: 'abc' } }, 0],
] as const)('the answer in a whole reply of %s, %j, is %i bytes', (provider, reply, bytes) => {
  expect(measureAnswer(JSON.stringify(reply), provider, 'whole')).toBe(bytes)
})

it('a meter counts all bytes, and those behind the last figures', () => {
  const meter = new AnswerMeter('provider_a')
  const sizes = () => [meter.bytes, meter.uncounted]
  meter.take(delta('four'), 0)
  expect(sizes()).toEqual([4, 4])
  meter.take(delta('fives') + delta('a'), delta('fives').length)
  expect(sizes()).toEqual([10, 1])
  meter.take(delta('bc'), 0)
  expect(sizes()).toEqual([12, 3])
  const last = delta('xyz')
  meter.take(last, last.length)
  expect(sizes()).toEqual([15, 0])
})
