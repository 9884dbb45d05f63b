import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseLook, moveCursor, pickTicks, roundUpAxis, stackSeries } from './chart-data.ts'

describe('stackSeries', () => {
  it('puts each series on the one before', () => {
    const [answered, failed] = stackSeries([{ values: [3, 0] }, { values: [1, undefined] }], 2)
    expect(answered).toEqual({ lower: [0, 0], upper: [3, 0] })
    expect(failed).toEqual({ lower: [3, 0], upper: [4, 0] })
  })

  it('ends at the sum of all values', () => {
    const columns = fc.integer({ min: 1, max: 6 }).chain((length) =>
      fc.array(fc.array(fc.nat({ max: 1000 }), { minLength: length, maxLength: length }), {
        minLength: 1,
        maxLength: 5,
      }),
    )
    fc.assert(
      fc.property(columns, (rows) => {
        const length = rows[0]?.length ?? 0
        const top = stackSeries(
          rows.map((values) => ({ values })),
          length,
        ).at(-1)
        const sums = Array.from({ length }, (_, index) => rows.reduce((sum, row) => sum + (row[index] ?? 0), 0))
        expect(top?.upper).toEqual(sums)
      }),
    )
  })
})

describe('roundUpAxis', () => {
  it.each([
    [0, 1],
    [Number.NaN, 1],
    [1, 1],
    [3, 4],
    [2140, 2500],
    [9.2, 10],
    [0.3, 0.4],
  ])('makes %d to %d', (value, expected) => {
    expect(roundUpAxis(value)).toBeCloseTo(expected, 10)
  })
})

describe('pickTicks', () => {
  it('leaves out ticks that would touch', () => {
    expect(pickTicks(12, 400, 100)).toEqual([0, 3, 6, 9])
    expect(pickTicks(3, 1000, 100)).toEqual([0, 1, 2])
    expect(pickTicks(0, 400, 100)).toEqual([])
    expect(pickTicks(5, 10, 100)).toEqual([0])
  })
})

describe('moveCursor', () => {
  it('stays on the axis and ignores other keys', () => {
    expect(moveCursor('ArrowRight', 11, 12)).toBe(11)
    expect(moveCursor('ArrowLeft', 4, 12)).toBe(3)
    expect(moveCursor('Home', 4, 12)).toBe(0)
    expect(moveCursor('End', 4, 12)).toBe(11)
    expect(moveCursor('a', 4, 12)).toBeUndefined()
  })
})

it('gives six series looks that differ', () => {
  const looks = Array.from({ length: 6 }, (_, index) => JSON.stringify(chooseLook(index)))
  expect(new Set(looks).size).toBe(6)
})
