import fc from 'fast-check'
import { expect, it } from 'vitest'
import { depthChange, findStringEnd, isQuote, skipBlanks } from './json-scan.ts'

const CHARACTERS = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code))
const find = (isFound: (code: number) => boolean) => CHARACTERS.filter((each) => isFound(each.charCodeAt(0))).join('')

it('four characters change the depth, and one begins a string', () => {
  expect(find((code) => depthChange(code) === 1)).toBe('[{')
  expect(find((code) => depthChange(code) === -1)).toBe(']}')
  expect(find((code) => depthChange(code) === 0)).toHaveLength(252)
  expect(find(isQuote)).toBe('"')
})

it.each([
  ['x', 0, 0],
  [' x', 0, 1],
  ['x \t\r\n!', 1, 5],
  ['x  ', 1, 3],
  ['', 0, 0],
])('in %j the blanks from %d end at %d', (text, from, end) => {
  expect(skipBlanks(text, from)).toBe(end)
})

it.each([
  ['""', 2],
  ['"a"b"', 3],
  ['"\\""x', 4],
  ['"\\\\"x"', 4],
  ['"\\\\\\""', 6],
  ['"a', 3],
  ['"a\\"', 5],
])('the string at the start of %s ends at %d', (text, end) => {
  expect(findStringEnd(text, 0)).toBe(end)
})

it('finds the end of every string that JSON can write', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('"', '\\', 'a', '\n', ' ') }), fc.string(), (said, rest) => {
      const text = JSON.stringify(said)
      expect(findStringEnd(`[${text},"${rest}`, 1)).toBe(text.length + 1)
    }),
  )
})
