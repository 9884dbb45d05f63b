import { expect, it } from 'vitest'
import { MatchList } from './match-list.ts'

it('ends at 0 without a match', () => {
  expect(new MatchList().lastEnd).toBe(0)
})

it('replaces matches that begin at the same place or later', () => {
  const list = new MatchList()
  list.add(5, 8)
  list.add(9, 12)
  list.add(12, 15)
  list.add(9, 20)
  expect([...list.spans()]).toEqual([
    [5, 8],
    [9, 20],
  ])
  expect(list.count).toBe(2)
  expect(list.lastEnd).toBe(20)
})

it('holds very many, and gives them up again', () => {
  const list = new MatchList()
  for (let start = 0; start < 100_000; start += 2) list.add(start, start + 1)
  expect([list.count, list.lastEnd]).toEqual([50_000, 99_999])
  expect([...list.spans()].every(([start, end], index) => start === index * 2 && end === start + 1)).toBe(true)
  list.add(1001, 100_001)
  expect([list.count, list.lastEnd]).toEqual([502, 100_001])
  expect([...list.spans()].slice(-2)).toEqual([
    [1000, 1001],
    [1001, 100_001],
  ])
})
