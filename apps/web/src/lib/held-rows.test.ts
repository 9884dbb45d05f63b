import { expect, it } from 'vitest'
import { holdRows } from './held-rows.ts'

const page = (ids: readonly number[], state = 'done') => ({
  rows: ids.map((id) => ({ id: String(id), state })),
  total: ids.length,
})

it('keeps the rows that are shown, with their newer facts', () => {
  const held = holdRows(page([3, 2, 1], 'runs'), page([5, 4, 3, 2]))
  expect(held.rows).toEqual([
    { id: '3', state: 'done' },
    { id: '2', state: 'done' },
    { id: '1', state: 'runs' },
  ])
  expect(held.waiting).toBe(2)
  expect(held.total).toBe(4)
})

it('counts every row as new when none of the shown ones is left', () => {
  expect(holdRows(page([2, 1]), page([9, 8, 7])).waiting).toBe(3)
})

it('has nothing new when nothing came, and when rows have gone', () => {
  expect(holdRows(page([2, 1]), page([2, 1])).waiting).toBe(0)
  expect(holdRows(page([2, 1]), page([1])).waiting).toBe(0)
})

it('lets go of a list that was cleared', () => {
  expect(holdRows(page([2, 1]), page([]))).toEqual({ rows: [], total: 0, waiting: 0 })
})

it('shows the first rows of an empty list at once', () => {
  expect(holdRows(page([]), page([1]))).toEqual({ ...page([1]), waiting: 0 })
})
