import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { didYouMean, editDistance, nearest } from './suggest.ts'

describe('the distance of two words', () => {
  it.each([
    ['', '', 0],
    ['abc', '', 3],
    ['threads', 'thread', 1],
    ['kitten', 'sitting', 3],
    ['ab', 'ba', 1],
    ['models', 'moedls', 1],
  ])('%j and %j: %d', (left, right, distance) => {
    expect(editDistance(left, right)).toBe(distance)
  })
  it('is the same both ways, zero only for equals, and at most the longer word', () => {
    const word = fc.string({ maxLength: 12 })
    fc.assert(
      fc.property(word, word, (left, right) => {
        const distance = editDistance(left, right)
        expect(distance).toBe(editDistance(right, left))
        expect(distance === 0).toBe(left === right)
        expect(distance).toBeLessThanOrEqual(Math.max(left.length, right.length))
      }),
    )
  })
})

describe('a suggestion', () => {
  const known = ['--threads', '--models-path', '--f16']
  it('is the nearest known word', () => {
    expect(nearest('--thread', known)).toBe('--threads')
    expect(nearest('--model-path', known)).toBe('--models-path')
    expect(didYouMean('--thread', known)).toBe(' (did you mean --threads?)')
  })
  it('is none where nothing is near', () => {
    expect(nearest('--quantize', known)).toBeUndefined()
    expect(didYouMean('--quantize', known)).toBe('')
    expect(nearest('-'.repeat(65), known)).toBeUndefined()
  })
})
