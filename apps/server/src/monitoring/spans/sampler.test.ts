import { expect, it } from 'vitest'
import { createSampler } from './sampler.ts'
import { newTraceId } from './span-scope.ts'

const ids = Array.from({ length: 20_000 }, newTraceId)
const caller = (isSampled: boolean) => ({ traceId: ids[0] ?? '', spanId: '00f067aa0ba902b7', isSampled })

it.each([0, 0.1, 0.5, 1])('takes the share %d of traces, the same ones each time', (ratio) => {
  const sample = createSampler({ ratio, followsCaller: true })
  const taken = ids.filter((id) => sample(id, undefined))
  expect(taken.length / ids.length).toBeCloseTo(ratio, 1)
  expect(ids.filter((id) => sample(id, undefined))).toEqual(taken)
})

it('follows the caller where it may', () => {
  const [none, all] = [0, 1].map((ratio) => createSampler({ ratio, followsCaller: true }))
  expect([none?.('f'.repeat(32), caller(true)), all?.('f'.repeat(32), caller(false))]).toEqual([true, false])
  const own = createSampler({ ratio: 0, followsCaller: false })
  expect(own('0'.repeat(31) + 1, caller(true))).toBe(false)
})
