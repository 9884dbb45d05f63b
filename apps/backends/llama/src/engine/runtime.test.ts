import { expect, it } from 'vitest'
import { chooseThreads } from './runtime.ts'

it.each([
  ['one core is left to the rest', 8, 16, 7],
  ['the limit of the process counts', 64, 4, 3],
  ['at least one', 1, 1, 1],
  ['at least one where nothing is known', 0, 0, 1],
])('threads: %s', (_, physical, available, expected) => {
  expect(chooseThreads(physical, available)).toBe(expected)
})
