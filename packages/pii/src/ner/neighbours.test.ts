import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createNeighbours } from './neighbours.ts'

it('a growing span covers its neighbours completely', () => {
  const neighbours = createNeighbours([
    { start: 10, end: 20 },
    { start: 0, end: 4 },
    { start: 12, end: 30 },
  ])
  expect([10, 11, 13, 40].map(neighbours.coveringEnd)).toEqual([10, 20, 30, 40])
  expect([30, 29, 19, 4, 3].map(neighbours.coveringStart)).toEqual([30, 12, 10, 4, 0])
})

it('without neighbours, nothing is covered', () => {
  const neighbours = createNeighbours([])
  expect([neighbours.coveringEnd(7), neighbours.coveringStart(7)]).toEqual([7, 7])
})

it('any spans are covered as one by one', () => {
  const span = fc.record({ start: fc.nat(30), length: fc.integer({ min: 1, max: 9 }) })
  fc.assert(
    fc.property(fc.array(span), fc.nat(40), (list, offset) => {
      const spans = list.map(({ start, length }) => ({ start, end: start + length }))
      const neighbours = createNeighbours(spans)
      const ends = spans.filter(({ start }) => start < offset).map(({ end }) => end)
      const starts = spans.filter(({ end }) => end > offset).map(({ start }) => start)
      expect(neighbours.coveringEnd(offset)).toBe(Math.max(offset, ...ends))
      expect(neighbours.coveringStart(offset)).toBe(Math.min(offset, ...starts))
    }),
  )
})
