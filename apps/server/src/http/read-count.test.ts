import { expect, it } from 'vitest'
import { readCount } from './read-count.ts'

it.each([
  [undefined, 50],
  ['', 50],
  ['1', 1],
  ['0', 50],
  ['-1', 50],
  ['1.5', 50],
  ['1e3', 50],
  ['0x10', 50],
  [' 7', 50],
  ['seven', 50],
  ['٧', 50],
  ['1000', 1000],
  ['1001', 1000],
  ['007', 7],
  ['9'.repeat(400), 1000],
])('the limit %s is %d', (text, expected) => {
  expect(readCount(text, { usual: 50, most: 1000 })).toBe(expected)
})

it('takes 0 where it is the least', () => {
  expect(readCount('0', { usual: 50, least: 0, most: 1000 })).toBe(0)
})
