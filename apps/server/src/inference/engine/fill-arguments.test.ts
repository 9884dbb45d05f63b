import { describe, expect, it } from 'vitest'
import type { FinishReason, PredictionEvent } from '../core/events.ts'
import { createArgumentsFiller, toCallArguments } from './fill-arguments.ts'

function start(index: number, choice = 0): PredictionEvent {
  return { type: 'tool-call-start', choice, index, id: `c${index}`, name: 'f' }
}

function give(index: number, text: string, choice = 0): PredictionEvent {
  return { type: 'tool-call-delta', choice, index, arguments: text }
}

function end(finishReason: FinishReason = 'tool_calls', choice = 0): PredictionEvent {
  return { type: 'choice-end', choice, finishReason }
}

describe('arguments of a reply', () => {
  it.each<[string, PredictionEvent[], PredictionEvent[]]>([
    ['none', [start(0), end()], [start(0), give(0, '{}'), end()]],
    ['empty ones', [start(0), give(0, ''), end()], [start(0), give(0, ''), give(0, '{}'), end()]],
    ['blanks', [start(0), give(0, ' \n'), end()], [start(0), give(0, ' \n'), give(0, '{}'), end()]],
    ['some', [start(0), give(0, '{"a"'), give(0, ':1}'), end()], [start(0), give(0, '{"a"'), give(0, ':1}'), end()]],
    [
      'of the second call none',
      [start(0), start(1), give(0, '{}'), end('stop')],
      [start(0), start(1), give(0, '{}'), give(1, '{}'), end('stop')],
    ],
    [
      'none in two choices',
      [start(0), end(), start(0, 1), end('tool_calls', 1)],
      [start(0), give(0, '{}'), end(), start(0, 1), give(0, '{}', 1), end('tool_calls', 1)],
    ],
    ['cut off', [start(0), end('length')], [start(0), end('length')]],
    ['no call', [end('stop')], [end('stop')]],
  ])('%s', (_name, events, expected) => {
    expect(createArgumentsFiller()(events)).toEqual(expected)
    const fill = createArgumentsFiller()
    expect(events.flatMap((event) => fill([event]))).toEqual(expected)
  })
})

it.each([
  [undefined, '{}'],
  [null, '{}'],
  ['', '{}'],
  ['  ', '{}'],
  ['{"a":1 }', '{"a":1 }'],
  ['no JSON', 'no JSON'],
])('arguments %j of the history are %j', (given, expected) => {
  expect(toCallArguments(given)).toBe(expected)
})
