import { expect, it } from 'vitest'
import { DeadEnds } from './dead-ends.ts'

it('the states of an attempt after its end are dead ends', () => {
  const ends = new DeadEnds()
  expect([64, 128, 192].map((position) => ends.isKnown(position, 5, 0))).toEqual([false, false, false])
  ends.finish(130)
  expect(ends.isKnown(192, 5, 0)).toBe(true)
  expect(ends.isKnown(192, 6, 0)).toBe(false)
  expect(ends.isKnown(128, 5, 0)).toBe(false)
  expect(ends.isKnown(64, 5, 0)).toBe(false)
})

it('a try without a match leads nowhere from its start', () => {
  const ends = new DeadEnds()
  ends.isKnown(64, 1, 0)
  ends.finish(-1)
  expect(ends.isKnown(64, 1, 0)).toBe(true)
})

it('a match that ends at the very place is not ruled out there', () => {
  const ends = new DeadEnds()
  ends.isKnown(64, 1, 0)
  ends.finish(64)
  expect(ends.isKnown(64, 1, 0)).toBe(false)
})

it('states that the automaton dropped do not count', () => {
  const ends = new DeadEnds()
  ends.isKnown(64, 1, 0)
  ends.finish(-1)
  expect(ends.isKnown(64, 1, 1)).toBe(false)
})

it('forgets all before it holds too much', () => {
  const ends = new DeadEnds()
  for (let state = 0; state < 70_000; state++) ends.isKnown(64, state, 0)
  ends.finish(-1)
  const known = Array.from({ length: 70_000 }, (_, state) => ends.isKnown(64, state, 0)).filter(Boolean).length
  expect(known).toBeGreaterThan(1000)
  expect(known).toBeLessThanOrEqual(65_536)
})
