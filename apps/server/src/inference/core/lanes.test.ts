import { describe, expect, it } from 'vitest'
import { type FinishReason, NO_USAGE, type PredictionStep, type PredictionWarning } from './events.ts'
import { createLanes } from './lanes.ts'

it('reports warnings, keeps running figures back, and passes on the events that formats encode', () => {
  const early = { ...NO_USAGE, promptTokens: 5 }
  const final = { ...early, completionTokens: 1 }
  const first: readonly PredictionStep[] = [
    { type: 'progress', usage: early },
    { type: 'text-delta', choice: 0, text: 'a' },
  ]
  const last: readonly PredictionStep[] = [
    { type: 'warning', code: 'answer_form_mismatch', message: 'no JSON' },
    { type: 'choice-end', choice: 0, finishReason: 'stop' },
    { type: 'usage', usage: final },
  ]
  const warned: string[] = []
  const lanes = createLanes({
    onWarning: ({ message }: PredictionWarning) => warned.push(message),
  })
  expect(lanes(first)).toEqual([first[1]])
  expect(lanes(last)).toEqual([last[1], last[2]])
  expect(warned).toEqual(['no JSON'])
})

describe('arguments of calls', () => {
  const start = (index: number, choice = 0): PredictionStep => ({
    type: 'tool-call-start',
    choice,
    index,
    id: `c${index}`,
    name: 'f',
  })
  const piece = (index: number, text: string, choice = 0): PredictionStep => ({
    type: 'tool-call-delta',
    choice,
    index,
    arguments: text,
  })
  const end = (finishReason: FinishReason, choice = 0): PredictionStep => ({ type: 'choice-end', choice, finishReason })

  it.each<[string, PredictionStep[], string[]]>([
    ['none at all', [start(0), end('tool_calls')], ['{}']],
    ['none, in one of two', [start(0), start(1), piece(1, '{"a":1}'), end('tool_calls')], ['{}', '{"a":1}']],
    ['blanks', [start(0), piece(0, ' '), piece(0, ''), end('tool_calls')], [' {}']],
    ['late ones', [start(0), start(1), piece(1, '{}'), piece(0, '{'), piece(0, '}'), end('stop')], ['{}', '{}']],
    ['none, filtered', [start(0), end('content_filter')], ['{}']],
    ['none, cut off', [start(0), end('length')], ['']],
  ])('are never empty unless cut off: %s', (_, steps, expected) => {
    const lanes = createLanes({ onWarning() {} })
    const texts: string[] = []
    // Each step comes by itself, as in a slow stream.
    for (const event of steps.flatMap((step) => lanes([step]))) {
      if (event.type === 'tool-call-start') texts[event.index] = ''
      if (event.type === 'tool-call-delta') texts[event.index] += event.arguments
    }
    expect(texts).toEqual(expected)
  })

  it('are filled in their own choice, before its end', () => {
    const lanes = createLanes({ onWarning() {} })
    const events = lanes([start(0, 1), start(0, 0), piece(0, '{"a":1}', 0), end('tool_calls', 0), end('tool_calls', 1)])
    expect(events.slice(3)).toEqual([end('tool_calls', 0), piece(0, '{}', 1), end('tool_calls', 1)])
  })
})
