import { expect, it } from 'vitest'
import { NO_USAGE, type PredictionStep, type PredictionWarning, type Usage } from './events.ts'
import { createLanes } from './lanes.ts'

it('reports figures and warnings, and passes on the events that formats encode', () => {
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
  const reported: Usage[] = []
  const warned: string[] = []
  const lanes = createLanes({
    onUsage: (usage) => reported.push(usage),
    onWarning: ({ message }: PredictionWarning) => warned.push(message),
  })
  expect(lanes(first)).toEqual([first[1]])
  expect(reported).toEqual([early])
  expect(lanes(last)).toEqual([last[1], last[2]])
  expect(warned).toEqual(['no JSON'])
  expect(reported).toEqual([early, final])
})
