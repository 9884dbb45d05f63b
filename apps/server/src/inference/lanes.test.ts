import { expect, it } from 'vitest'
import { NO_USAGE, type PredictionEvent, type PredictionStep, type PredictionWarning, type Usage } from './events.ts'
import { tapLanes } from './lanes.ts'

it('hears of figures as soon as they are known, and passes on what formats have events for', async () => {
  const early = { ...NO_USAGE, promptTokens: 5 }
  const final = { ...early, completionTokens: 1 }
  const steps: readonly PredictionStep[] = [
    { type: 'progress', usage: early },
    { type: 'text-delta', choice: 0, text: 'a' },
    { type: 'warning', code: 'answer_form_mismatch', message: 'no JSON' },
    { type: 'choice-end', choice: 0, finishReason: 'stop' },
    { type: 'usage', usage: final },
  ]
  async function* predict(): AsyncGenerator<PredictionStep> {
    yield* steps
  }
  const heard: Usage[] = []
  const seen: PredictionEvent[] = []
  const warned: string[] = []
  const taps = {
    onUsage: (usage: Usage) => heard.push(usage),
    onWarning: ({ message }: PredictionWarning) => warned.push(message),
  }
  for await (const event of tapLanes(predict(), taps)) {
    if (seen.length === 0) expect(heard).toEqual([early])
    seen.push(event)
  }
  expect(seen).toEqual(steps.filter(({ type }) => type !== 'progress' && type !== 'warning'))
  expect(warned).toEqual(['no JSON'])
  expect(heard).toEqual([early, final])
})
