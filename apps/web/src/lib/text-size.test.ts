import { describe, expect, it } from 'vitest'
import { toRem, toScale } from './text-size.ts'

describe('the size of letters', () => {
  it.each([
    ['16px', 1],
    ['32px', 2],
    ['20px', 1.25],
    ['', 1],
    [undefined, 1],
  ])('of a browser with %s is %d times the usual', (size, scale) => {
    expect(toScale(size)).toBe(scale)
  })

  it('carries pixels along', () => {
    expect([toRem(16), toRem(140), toRem(639.98)]).toEqual(['1rem', '8.75rem', '39.99875rem'])
  })
})
