import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toBytes } from './bytes.ts'
import { canBackquote, excerpt, quoteRune, quoteString, unquote, unquoteRune } from './quote.ts'

describe('string literals', () => {
  it.each([
    ['"a\\tb\\"c"', 'a\tb"c'],
    ['"\\a\\b\\f\\n\\r\\v\\\\"', '\x07\b\f\n\r\v\\'],
    ['"\\x41\\101\\u00e9\\U0001F600"', 'AA\xc3\xa9\xf0\x9f\x98\x80'],
    ['"\\xff"', '\xff'],
    ['`a\\n\r\nb`', 'a\\n\nb'],
    ['""', ''],
  ])('%j reads as its text', (literal, bytes) => {
    expect(unquote(literal)).toBe(bytes)
  })

  it.each(['"\\q"', '"\\x4"', '"\\400"', '"\\08"', '"\\u00e"', '"\\ud800"', '"\\U00110000"', '"\\\'"'])(
    '%j is not a literal',
    (literal) => {
      expect(unquote(literal)).toBeUndefined()
    },
  )

  it('read back the quoted text, invalid bytes included', () => {
    const byteString = fc.uint8Array({ maxLength: 40 }).map((bytes) => String.fromCharCode(...bytes))
    fc.assert(fc.property(byteString, fc.boolean(), (bytes, ascii) => unquote(quoteString(bytes, ascii)) === bytes))
  })

  it('escape unprintable characters, and with ascii everything beyond it', () => {
    expect(quoteString(toBytes('é\u2028\x7f\n"😀'))).toBe(toBytes('"é\\u2028\\x7f\\n\\"😀"'))
    expect(quoteString(toBytes('é😀'), true)).toBe('"\\u00e9\\U0001f600"')
  })
})

describe('character literals', () => {
  it.each([
    ["'a'", 97],
    ["'é'", 233],
    ["'\\n'", 10],
    ["'\\''", 39],
    ["'\\xe9'", 233],
  ])('%s is a code point', (literal, rune) => {
    expect(unquoteRune(toBytes(literal))).toBe(rune)
  })

  it.each(["''", "'ab'", "'\\\"'", "'''"])('%s is not a literal', (literal) => {
    expect(unquoteRune(literal)).toBeUndefined()
  })

  it('quote any code point', () => {
    expect([97, 39, 34, 10, -1].map((rune) => quoteRune(rune))).toEqual([
      "'a'",
      "'\\''",
      "'\"'",
      "'\\n'",
      toBytes("'\ufffd'"),
    ])
  })
})

it.each([
  ['plain é', true],
  ['tab\t', true],
  ['a`b', false],
  ['a\nb', false],
  ['\ufeff', false],
  ['\x7f', false],
])('%j can stand in backquotes: %s', (text, expected) => {
  expect(canBackquote(toBytes(text))).toBe(expected)
})

it('shortens the shown part of a template', () => {
  expect(excerpt('x'.repeat(100))).toBe(`"${'x'.repeat(27)}..."`)
})
