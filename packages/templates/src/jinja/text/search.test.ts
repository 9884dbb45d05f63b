import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findAll, findAllFromEnd, findLastText, findText, isPlainSearch } from './search.ts'

/** Texts with many partial matches, long enough for the non-naive search. */
const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 30 }).map((piece) => piece.repeat(300))
const wanted = fc
  .string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 30 })
  .map((piece) => piece.repeat(20))

describe('searches', () => {
  it("find the matches of the engine's search", () => {
    fc.assert(
      fc.property(text, wanted, fc.nat(5000), (whole, part, from) => {
        expect(findText(whole, part, from)).toBe(whole.indexOf(part, from))
        expect(findLastText(whole, part)).toBe(whole.lastIndexOf(part))
        const end = Math.min(from, whole.length)
        expect(findLastText(whole, part, end)).toBe(whole.slice(0, end).lastIndexOf(part))
      }),
    )
  })

  it('find all matches that do not overlap, from both ends', () => {
    fc.assert(
      fc.property(text, wanted, (whole, part) => {
        const parts = whole.split(part)
        expect(findAll(whole, part)).toHaveLength(parts.length - 1)
        expect(findAllFromEnd(whole, part, Number.POSITIVE_INFINITY)).toHaveLength(parts.length - 1)
        for (const offset of findAll(whole, part)) expect(whole.startsWith(part, offset)).toBe(true)
      }),
    )
  })

  it('stop at the limit', () => {
    expect(findAll('aaaa', 'a', 2)).toEqual([0, 1])
    expect(findAllFromEnd('aaaa', 'a', 2)).toEqual([3, 2])
    expect(findAllFromEnd('aaa', 'aa', 5)).toEqual([1])
  })

  it('are left to the engine where that is never slow', () => {
    expect(isPlainSearch('a'.repeat(1_000_000), 'a'.repeat(7))).toBe(true)
    expect(isPlainSearch('a'.repeat(1000), 'a'.repeat(60))).toBe(true)
    expect(isPlainSearch('a'.repeat(100_000), 'a'.repeat(50))).toBe(false)
  })
})
