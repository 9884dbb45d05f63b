import { describe, expect, it } from 'vitest'
import { judgeFit, shareMemory } from './fit.ts'

const host = { total: 24, free: 16 }

describe('the fit of a model', () => {
  it.each([
    ['fits', { fits: true, memory_bytes: 16 }, host],
    ['tight', { fits: true, memory_bytes: 17 }, host],
    ['large', { fits: false, memory_bytes: 25 }, host],
    ['unusable', { fits: false, memory_bytes: 10 }, host],
    ['unknown', { memory_bytes: 10 }, host],
    ['unknown', {}, undefined],
    ['fits', { fits: true }, host],
    ['large', { fits: false, memory_bytes: 10 }, undefined],
  ] as const)('is %s for %j', (fit, size, memory) => {
    expect(judgeFit(size, memory)).toBe(fit)
  })
})

describe('the bar of memory', () => {
  it('has what is used, the weights and the rest', () => {
    expect(shareMemory({ total: 100, free: 60 }, { weightsBytes: 20, memoryBytes: 30 })).toEqual({
      used: 0.4,
      weights: 0.2,
      rest: 0.1,
    })
  })

  it('never goes past its end', () => {
    const { used, weights, rest } = shareMemory({ total: 100, free: 60 }, { weightsBytes: 50, memoryBytes: 200 })
    expect(weights).toBeCloseTo(0.5)
    expect(used + weights + rest).toBeCloseTo(1)
    expect(shareMemory({ total: 0, free: 0 }, { weightsBytes: 1, memoryBytes: 1 })).toEqual({
      used: 0,
      weights: 0,
      rest: 0,
    })
  })
})
