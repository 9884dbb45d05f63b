import { describe, expect, it } from 'vitest'
import { FEWEST_VALUES, findMedianInterval, findMiddle } from './median-interval.ts'

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

describe('findMedianInterval', () => {
  it.each([
    // the table of the sign test for 95 %
    [6, 3.5, 1, 6],
    [8, 4.5, 1, 8],
    [9, 5, 2, 8],
    [12, 6.5, 3, 10],
    [20, 10.5, 6, 15],
    [24, 12.5, 7, 18],
  ])('takes the ends of %i values from the sign test', (count, median, low, high) => {
    expect(findMedianInterval(upTo(count).reverse())).toEqual({ median, low, high })
  })

  it('holds the true median in 95 of 100 samples or more', () => {
    let state = 7
    const draw = (): number => {
      state = (state * 48_271) % 2_147_483_647
      return state / 2_147_483_647
    }
    let held = 0
    for (let sample = 0; sample < 2000; sample += 1) {
      // a few values far above the others, as on a busy machine; half of all values lie below 0.5
      const values = Array.from({ length: 12 }, draw)
      const { low, high } = findMedianInterval(values.map((value) => (value > 0.9 ? value * 50 : value)))
      if (low <= 0.5 && high >= 0.5) held += 1
    }
    expect(held / 2000).toBeGreaterThan(0.95)
  })

  it('refuses too few values and values that are not numbers', () => {
    expect(() => findMedianInterval(upTo(FEWEST_VALUES - 1))).toThrow('6 values or more')
    expect(() => findMedianInterval([...upTo(6), Number.NaN])).toThrow('not a finite number')
  })
})

it('finds the middle of few values', () => {
  expect(findMiddle([3, 1, 2])).toBe(2)
  expect(findMiddle([4, 1, 3, 2])).toBe(2.5)
  expect(findMiddle([])).toBeNaN()
})
