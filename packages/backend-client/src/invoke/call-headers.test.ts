import { expect, it } from 'vitest'
import { formatTimeout } from './call-headers.ts'

it.each([
  [0, '0m'],
  [-5, '0m'],
  [0.2, '1m'],
  [1500, '1500m'],
  [99_999_999, '99999999m'],
  [100_000_000, '100000S'],
  [1e11, '1666667M'],
  [1e13, '2777778H'],
])('writes %d ms as %s, in at most eight digits', (milliseconds, text) => {
  expect(formatTimeout(milliseconds)).toBe(text)
})

it.each([Number.POSITIVE_INFINITY, 1e15, Number.NaN])('writes nothing for %d', (milliseconds) => {
  expect(formatTimeout(milliseconds)).toBeUndefined()
})
