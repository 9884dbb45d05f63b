import { describe, expect, it } from 'vitest'
import { normalize } from './embed.ts'

describe('a vector is scaled', () => {
  it.each([
    ['not at all below 0', -1, [3, -4], [3, -4]],
    ['to Euclidean length 1', 2, [3, -4], [0.6, -0.8]],
    ['to taxicab length 1', 1, [3, -1], [0.75, -0.25]],
    ['to a largest value of 32760', 0, [2, -4], [16_380, -32_760]],
    ['from nothing to nothing', 2, [0, 0], [0, 0]],
  ])('%s', (_, norm, vector, expected) => {
    const scaled = normalize(vector, norm)
    expect(scaled).toHaveLength(expected.length)
    for (const [index, value] of expected.entries()) expect(scaled[index]).toBeCloseTo(value, 10)
  })
})
