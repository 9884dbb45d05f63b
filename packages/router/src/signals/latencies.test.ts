import { expect, it } from 'vitest'
import { createLatencies, estimateDuration } from './latencies.ts'

it('keeps exponential means', () => {
  const latencies = createLatencies()
  latencies.record('m', { firstTokenMs: 100, tokensPerSecond: 50 }, 1)
  latencies.record('m', { firstTokenMs: 200 }, 2)
  expect(latencies.find('m')).toEqual({ firstTokenMs: 120, tokensPerSecond: 50, measuredAt: 2 })
  latencies.record('m', { tokensPerSecond: 100 }, 3)
  const found = latencies.find('m')
  expect(found).toEqual({ firstTokenMs: 120, tokensPerSecond: 60, measuredAt: 3 })
  expect(found && estimateDuration(found, 600)).toBe(120 + 10_000)
})

it.each([
  [{}],
  [{ firstTokenMs: Number.NaN }],
  [{ firstTokenMs: -1 }],
  [{ tokensPerSecond: Number.POSITIVE_INFINITY }],
])('passes by %j', (sample) => {
  const latencies = createLatencies()
  latencies.record('m', sample, 1)
  expect(latencies.find('m')).toBeUndefined()
})

it('forgets the model that was measured longest ago', () => {
  const latencies = createLatencies({ maxModels: 2 })
  for (const model of ['a', 'b', 'a', 'c']) latencies.record(model, { firstTokenMs: 1 }, 1)
  expect(['a', 'b', 'c'].map((model) => latencies.find(model) !== undefined)).toEqual([true, false, true])
  expect(() => createLatencies({ maxModels: 0 })).toThrow('maxModels')
})
