import { describe, expect, it } from 'vitest'
import { chooseBite } from './pace.ts'

describe('the bite for a speed', () => {
  it.each([
    ['a whole batch on a fast machine', 1, 2, 512, 512],
    ['a power of two that stays within 50 ms', 5, 20, 512, 32],
    ['about three times a single token where that takes longer', 400, 1500, 512, 8],
    ['larger where many tokens take as long as one', 400, 410, 512, 512],
    ['never so small that reading crawls', 10, 10_000, 512, 8],
    ['never more than a batch', 10, 10_000, 4, 4],
    ['a batch where nothing could be measured', 0, 0, 512, 512],
    ['a batch where the probe was faster than one token', 3, 2, 256, 256],
  ])('is %s', (_, oneMs, probeMs, batchSize, expected) => {
    expect(chooseBite({ oneMs, probeMs }, batchSize)).toBe(expected)
  })
})
