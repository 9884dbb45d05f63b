import { describe, expect, it } from 'vitest'
import { cosineSimilarity, normalizeVector } from './vectors.ts'

describe('a vector is scaled', () => {
  it.each([
    ['not at all below 0', -1, [3, -4], [3, -4]],
    ['to Euclidean length 1', 2, [3, -4], [0.6, -0.8]],
    ['to taxicab length 1', 1, [3, -1], [0.75, -0.25]],
    ['to a largest value of 32760', 0, [2, -4], [16_380, -32_760]],
    ['from nothing to nothing', 2, [0, 0], [0, 0]],
  ])('%s', (_, norm, vector, expected) => {
    expect(normalizeVector(Float32Array.from(vector), norm)).toEqual(Float32Array.from(expected))
  })
})

describe('two vectors', () => {
  it.each([
    ['are alike in one direction', [1, 2], [10, 20], 1],
    ['are unlike in the opposite one', [1, 2], [-2, -4], -1],
    ['have nothing in common at a right angle', [1, 0], [0, 5], 0],
    ['have nothing in common where one is nothing', [0, 0], [1, 1], 0],
  ])('%s', (_, a, b, expected) => {
    expect(cosineSimilarity(Float32Array.from(a), Float32Array.from(b))).toBeCloseTo(expected, 12)
  })

  it('are never more alike than 1', () => {
    const vector = Float32Array.from({ length: 384 }, (_, index) => Math.sin(index) / 7)
    expect(cosineSimilarity(vector, vector)).toBeLessThanOrEqual(1)
  })
})
