import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { convertOffsets } from './offsets.ts'

const encoder = new TextEncoder()

/** Runs of one to four bytes, joined emoji, combining marks, line ends and lone halves of surrogate pairs. */
const text = fc
  .array(fc.constantFrom('a', 'é', '東', '🚲', '👩‍👩‍👧', 'e\u0301', '\r\n', '\ud83d', '\udeb2', '\0'), {
    maxLength: 20,
  })
  .map((parts) => parts.join(''))

describe('convertOffsets', () => {
  it('counts bytes, code units and code points', () => {
    const one = 'é🚲東a'
    expect(convertOffsets(one, [0, 2, 6, 9, 10], { from: 'utf8', to: 'utf16' })).toEqual([0, 1, 3, 4, 5])
    expect(convertOffsets(one, [0, 1, 3, 4, 5], { from: 'utf16', to: 'codepoint' })).toEqual([0, 1, 2, 3, 4])
    expect(convertOffsets(one, [4, 3, 2, 1, 0], { from: 'codepoint', to: 'utf8' })).toEqual([10, 9, 6, 2, 0])
  })

  it('takes offsets in any order and more than once', () => {
    expect(convertOffsets('éé', [4, 0, 4, 2], { from: 'utf8', to: 'utf16' })).toEqual([2, 0, 2, 1])
    expect(convertOffsets('éé', [], { from: 'utf8', to: 'utf16' })).toEqual([])
  })

  it.each([1, 3, 4, 5, 11, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses byte %d of é🚲東a', (offset) => {
    expect(() => convertOffsets('é🚲東a', [0, offset], { from: 'utf8', to: 'utf16' })).toThrow(
      expect.objectContaining({ code: 'offset_not_on_character' }),
    )
  })

  it('refuses the place between the halves of a pair', () => {
    expect(() => convertOffsets('🚲', [1], { from: 'utf16', to: 'utf8' })).toThrow('not on the edge of a character')
  })

  it('a span in bytes is the text that its bytes are', () => {
    fc.assert(
      fc.property(text, fc.nat(60), fc.nat(60), (value, one, other) => {
        const characters = [...value]
        const [start, end] = [
          Math.min(one, other, characters.length),
          Math.min(Math.max(one, other), characters.length),
        ]
        // The encoder writes a lone half as U+FFFD: three bytes.
        const wide = (count: number) => encoder.encode(characters.slice(0, count).join('')).length
        const units = convertOffsets(value, [wide(start), wide(end)], { from: 'utf8', to: 'utf16' })
        expect(value.slice(...units)).toBe(characters.slice(start, end).join(''))
        expect(convertOffsets(value, units, { from: 'utf16', to: 'codepoint' })).toEqual([start, end])
        expect(convertOffsets(value, units, { from: 'utf16', to: 'utf8' })).toEqual([wide(start), wide(end)])
      }),
    )
  })
})
