import { expect, it } from 'vitest'
import { MatchList } from './match-list.ts'

it('replaces matches that begin at the same place or later', () => {
  const list = new MatchList()
  list.add(5, 8)
  list.add(9, 12)
  list.add(12, 15)
  list.add(9, 20)
  expect(list.spans()).toEqual([
    [5, 8],
    [9, 20],
  ])
  expect(list.count).toBe(2)
  expect(list.lastEnd).toBe(20)
})

it('tells what a match rules out: what begins inside of it, not at its start or its end', () => {
  const list = new MatchList()
  expect(list.isCovered(0)).toBe(false)
  expect(list.lastEnd).toBe(0)
  list.add(2, 5)
  list.add(7, 9)
  const covered = Array.from({ length: 12 }, (_, at) => at).filter((at) => list.isCovered(at))
  expect(covered).toEqual([3, 4, 8])
})
