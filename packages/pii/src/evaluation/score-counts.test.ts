import { expect, it } from 'vitest'
import { toF } from './score-counts.ts'

it.each([
  [0, 0, 0, 0],
  [0, 5, 5, 0],
  [4, 0, 0, 1],
  [4, 20, 0, 0.5],
  [4, 0, 5, 0.5],
  [4, 8, 3, 0.5],
])('of %i found, %i wrong and %i missed is %d', (found, wrong, missed, f2) => {
  expect(toF(2, found, wrong, missed)).toBe(f2)
})
