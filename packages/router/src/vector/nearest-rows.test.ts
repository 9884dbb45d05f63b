import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { selectNearestRows } from './nearest-rows.ts'

/** The rows that are as near as the `count`-th nearest one, found by sorting. */
function selectBySorting(products: readonly number[], count: number): number[] {
  const floor = [...products].sort((one, other) => other - one)[count - 1] ?? Number.NEGATIVE_INFINITY
  return [...products.keys()].filter((row) => (products[row] ?? 0) >= floor)
}

const select = (products: readonly number[], count: number, margin = 0) =>
  selectNearestRows(Float32Array.from(products), { rowCount: products.length, count, margin })

describe('the nearest rows', () => {
  it.each<[string, readonly number[], number, readonly number[]]>([
    ['are the first ones of falling products', [9, 8, 7, 6, 5, 4, 3, 2, 1, 0], 3, [0, 1, 2]],
    ['are the last ones of rising products', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 3, [7, 8, 9]],
    ['are found among mixed ones', [3, 9, 1, 8, 2, 7, 4, 6, 5, 0], 5, [1, 3, 5, 7, 8]],
    ['are all of those that are equal', [1, 2, 2, 2, 0], 1, [1, 2, 3]],
    ['are below zero where all are', [-5, -1, -3, -2, -4], 2, [1, 3]],
    ['are all rows when there are no more', [1, 2, 3], 3, [0, 1, 2]],
    ['are all rows when more are wanted', [1, 2, 3], 10, [0, 1, 2]],
    ['are one row', [4, 6, 5], 1, [1]],
  ])('%s', (_, products, count, rows) => {
    expect(select(products, count)).toEqual(rows)
  })

  it('are those that sorting finds', () => {
    const product = fc.integer({ min: -1000, max: 1000 })
    fc.assert(
      fc.property(
        fc.array(product, { minLength: 1, maxLength: 200 }),
        fc.integer({ min: 1, max: 60 }),
        (products, count) => {
          expect(select(products, count)).toEqual(selectBySorting(products, count))
        },
      ),
      { numRuns: 500 },
    )
  })

  it('hold the rows within twice the margin below', () => {
    expect(select([10, 9.5, 9, 8.5, 8, 1], 1, 0.5)).toEqual([0, 1, 2])
    expect(select([10, Number.NaN, 1], 1, 0.5)).toEqual([0, 1])
  })
})
