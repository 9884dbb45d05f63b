import { describe, expect, it } from 'vitest'
import { isLetter, isPrintable, isSpace, toLower, toTitle, toUpper } from './unicode.ts'

function mapped(map: (rune: number) => number, text: string): string {
  return Array.from(text, (char) => String.fromCodePoint(map(char.codePointAt(0) ?? 0))).join('')
}

describe('case mappings go from one code point to one', () => {
  it.each([
    ['aé', 'AÉ'],
    ['ßŉ', 'ßŉ'],
    ['ᾳᾀῃῳ', 'ᾼᾈῌῼ'],
    ['ǆǅǄ', 'ǄǄǄ'],
    ['აბ', 'ᲐᲑ'],
    ['ſµ', 'SΜ'],
    ['𐐨', '𐐀'],
  ])('upper case of %s', (from, to) => {
    expect(mapped(toUpper, from)).toBe(to)
  })

  it.each([
    ['AÉ', 'aé'],
    ['İ', 'i'],
    ['ΣΟΣ', 'σοσ'],
    ['K', 'k'],
    ['ẞ', 'ß'],
  ])('lower case of %s', (from, to) => {
    expect(mapped(toLower, from)).toBe(to)
  })

  it.each([
    ['ǆǄǅ', 'ǅǅǅ'],
    ['ǳǱ', 'ǲǲ'],
    ['აჰ', 'აჰ'],
    ['a', 'A'],
  ])('title case of %s', (from, to) => {
    expect(mapped(toTitle, from)).toBe(to)
  })
})

describe('classes', () => {
  it('know the spaces of Go, which are not those of JavaScript', () => {
    const spaces = [0x09, 0x0b, 0x20, 0x85, 0xa0, 0x1680, 0x2003, 0x2028, 0x202f, 0x205f, 0x3000]
    expect(spaces.filter((rune) => !isSpace(rune))).toEqual([])
    expect([0xfeff, 0x200b, 0x1c, 0x61].filter(isSpace)).toEqual([])
  })

  it('print letters, marks, numbers, punctuation and symbols, of spaces only the ASCII one', () => {
    expect([0x20, 0x7e, 0xe9, 0x301, 0x2603, 0x1f600].filter((rune) => !isPrintable(rune))).toEqual([])
    expect([0x1f, 0x7f, 0xa0, 0xad, 0x2028, 0xfeff, 0xe000].filter(isPrintable)).toEqual([])
  })

  it('know letters of every script', () => {
    expect([0x61, 0xe9, 0x65e5, 0x5d0].every(isLetter)).toBe(true)
    expect([0x31, 0x5f, 0x301].some(isLetter)).toBe(false)
  })
})
