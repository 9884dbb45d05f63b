import { expect, it } from 'vitest'
import { isBodiless } from './request.ts'

it.each([
  ['GET', 200, false],
  ['GET', 204, true],
  ['GET', 205, false],
  ['GET', 304, true],
  ['POST', 303, false],
  ['POST', 204, true],
  ['HEAD', 200, true],
  ['HEAD', 403, true],
  ['HEAD', 304, true],
])('a reply to %s with status %i has no body: %s', (method, status, expected) => {
  expect(isBodiless(method, status)).toBe(expected)
})
