import { expect, it } from 'vitest'
import { createRecordIds } from './record-usage.ts'

it('ids grow with time and are unique, also among processes', () => {
  const [first, second] = [createRecordIds(), createRecordIds()]
  const times = [0, 1, 1, 1_700_000_000_000, 1_800_000_000_000]
  const ids = times.map(first)
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set([...ids, ...times.map(second)]).size).toBe(2 * times.length)
})
