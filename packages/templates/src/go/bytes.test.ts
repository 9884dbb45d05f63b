import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isAscii, mapRunes, runeAt, runeBytes, runeCount, runes, toBytes, toText } from './bytes.ts'

const text = fc.string({ unit: 'binary' })
const byteString = fc.uint8Array({ maxLength: 40 }).map((bytes) => String.fromCharCode(...bytes))

describe('byte strings', () => {
  it('hold the UTF-8 bytes of a text', () => {
    expect(toBytes('aé日😀')).toBe('a\xc3\xa9\xe6\x97\xa5\xf0\x9f\x98\x80')
    expect(toBytes('plain')).toBe('plain')
  })

  it('turn back into the text they came from', () => {
    fc.assert(fc.property(text, (value) => toText(toBytes(value)) === value))
  })

  it('keep texts longer than one chunk', () => {
    const long = '日本'.repeat(20_000)
    expect(toText(toBytes(long))).toBe(long)
  })

  it('keep a byte order mark', () => {
    expect(toText(toBytes('\ufeffé'))).toBe('\ufeffé')
  })

  it('take lone surrogates for U+FFFD', () => {
    expect(toText(toBytes('a\ud800b'))).toBe('a\ufffdb')
  })

  it('are ASCII only without a byte above 127', () => {
    expect([isAscii(''), isAscii('\x7f'), isAscii('\x80'), isAscii('aé')]).toEqual([true, true, false, false])
  })
})

describe('runes', () => {
  it('read as the code points of a text', () => {
    fc.assert(
      fc.property(text, (value) => {
        const codes = Array.from(value, (char) => char.codePointAt(0))
        expect(Array.from(runes(toBytes(value)), (rune) => rune.value)).toEqual(codes)
        expect(runeCount(toBytes(value))).toBe(codes.length)
      }),
    )
  })

  it.each([
    ['a lone continuation', '\x80', 1],
    ['a cut character', '\xe2\x82', 1],
    ['an overlong form', '\xc0\x80', 1],
    ['an overlong form of three', '\xe0\x80\x80', 1],
    ['a surrogate', '\xed\xa0\x80', 1],
    ['beyond U+10FFFF', '\xf4\x90\x80\x80', 1],
    ['a byte UTF-8 never has', '\xff', 1],
  ])('read %s as U+FFFD of one byte', (_, bytes, size) => {
    expect(runeAt(bytes, 0)).toEqual({ value: 0xfffd, size })
  })

  it('cover every byte string without a gap', () => {
    fc.assert(
      fc.property(byteString, (bytes) => {
        expect(Array.from(runes(bytes)).reduce((sum, rune) => sum + rune.size, 0)).toBe(bytes.length)
      }),
    )
  })

  it('become bytes again', () => {
    expect([0x41, 0xe9, 0x1f600, 0xd800, -1, 0x110000].map(runeBytes).map(toText)).toEqual([
      'A',
      'é',
      '😀',
      '\ufffd',
      '\ufffd',
      '\ufffd',
    ])
  })

  it('are replaced one by one, bad bytes as U+FFFD', () => {
    expect(toText(mapRunes('a\xffb', (rune) => (rune === 0x61 ? 0x1f600 : rune)))).toBe('😀\ufffdb')
    expect(mapRunes('x'.repeat(10_000), () => 0x79)).toBe('y'.repeat(10_000))
  })
})
