import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { shieldRanges } from './shield.ts'

describe('shieldRanges', () => {
  const text = 'at Huber Seerose Maier x'
  const shield = shieldRanges(text, [{ start: 9, end: 16 }])
  const original = (start: number, end: number) =>
    shield.toOriginal({ start, end }).map((span) => text.slice(span.start, span.end))

  it('hides a range behind a neutral word', () => {
    expect(shield.text).toBe('at Huber [PROTECTED] Maier x')
  })

  it('takes one that the text does not hold', () => {
    expect(shieldRanges('[PROTECTED] a', [{ start: 12, end: 13 }]).text).toBe('[PROTECTED] [PROTECTED 2]')
    expect(shieldRanges('[PROTECTED] [PROTECTED 2] a', [{ start: 26, end: 27 }]).text).toMatch(/\[PROTECTED 3\]$/)
  })

  it('leaves the parts of a detection beside it, without parts of white space alone', () => {
    expect(original(3, 26)).toEqual(['Huber ', ' Maier'])
    expect(original(3, 12)).toEqual(['Huber '])
    expect(original(12, 26)).toEqual([' Maier'])
    expect(original(9, 20)).toEqual([])
    expect(original(8, 21)).toEqual([])
    expect(original(0, 2)).toEqual(['at'])
  })

  it('knows whether a range overlaps, and that touching is not an overlap', () => {
    const overlaps = [
      [8, 9],
      [8, 10],
      [15, 16],
      [16, 17],
      [0, 24],
    ].map(([start = 0, end = 0]) => shield.isProtected({ start, end }))
    expect(overlaps).toEqual([false, true, true, false, true])
  })

  it('returns the same text without ranges to hide', () => {
    const plain = shieldRanges('[PROTECTED]', [])
    expect(plain.text).toBe('[PROTECTED]')
    expect(plain.toOriginal({ start: 1, end: 4 })).toEqual([{ start: 1, end: 4 }])
    expect(plain.isProtected({ start: 0, end: 11 })).toBe(false)
  })
})

it('for any hidden ranges, a span of the shielded text is the text that it covers in the original', () => {
  const parts = fc.array(
    fc.record({ open: fc.constantFrom('a', 'bc', 'déf'), hidden: fc.constantFrom('', 'XYZ', 'Q') }),
  )
  fc.assert(
    fc.property(parts, fc.nat(99), fc.nat(99), (list, one, other) => {
      let text = ''
      const ranges: { start: number; end: number }[] = []
      for (const { open, hidden } of list) {
        text += open
        if (hidden !== '') ranges.push({ start: text.length, end: text.length + hidden.length })
        text += hidden
      }
      const shield = shieldRanges(text, ranges)
      const start = Math.min(one, other, shield.text.length)
      const end = Math.min(Math.max(one, other), shield.text.length)
      fc.pre(start < end)
      const pieces = shield.toOriginal({ start, end })
      expect(pieces.every((piece) => !shield.isProtected(piece))).toBe(true)
      const seen = shield.text.slice(start, end)
      const bare = pieces.map((piece) => text.slice(piece.start, piece.end)).join('')
      expect(bare).toBe(seen.replaceAll(/\[?P?R?O?T?E?C?T?E?D?\]?/g, ''))
    }),
  )
})
