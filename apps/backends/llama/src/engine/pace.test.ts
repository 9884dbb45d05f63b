import { describe, expect, it } from 'vitest'
import { chooseBite } from './pace.ts'

describe('the bite of a prompt', () => {
  it.each([
    ['all of a batch on a fast machine', 100, 512, 512],
    ['a power of two that takes about 40 ms', 5, 512, 128],
    ['rounded down', 6, 512, 128],
    ['never so small that reading crawls', 0.01, 512, 16],
    ['never larger than a batch', 0.01, 8, 8],
    ['at least a token', 0, 1, 1],
    ['a batch where no time was measured at all', Number.POSITIVE_INFINITY, 512, 512],
  ])('is %s', (_, tokensPerMs, batch, expected) => {
    expect(chooseBite(tokensPerMs, batch)).toBe(expected)
  })
})
