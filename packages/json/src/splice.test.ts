import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applySplices, type Splice } from './splice.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
const splice = (start: number, end: number, text: string): Splice => ({ start, end, replacement: encode(text) })

describe('applySplices', () => {
  const bytes = encode('0123456789')

  it('returns the same array when there is nothing to do', () => {
    expect(applySplices(bytes, [])).toBe(bytes)
  })

  it('replaces, removes and inserts in one pass', () => {
    const edits = [splice(2, 4, 'TWO-THREE'), splice(5, 6, ''), splice(8, 8, '+')]
    expect(decode(applySplices(bytes, edits))).toBe('01TWO-THREE467+89')
    expect(decode(bytes)).toBe('0123456789')
  })

  it('takes edits in any order and leaves the list as it was', () => {
    const edits = [splice(8, 10, 'c'), splice(0, 1, 'a'), splice(4, 5, 'b')]
    expect(decode(applySplices(bytes, edits))).toBe('a123b567c')
    expect(edits.map(({ start }) => start)).toEqual([8, 0, 4])
  })

  it('lets edits touch, and insert at both ends', () => {
    const edits = [splice(10, 10, '>'), splice(3, 5, 'x'), splice(5, 5, 'y'), splice(0, 0, '<'), splice(3, 3, 'w')]
    expect(decode(applySplices(bytes, edits))).toBe('<012wxy56789>')
  })

  it('keeps the order of insertions at one offset', () => {
    expect(decode(applySplices(bytes, [splice(5, 5, 'a'), splice(5, 5, 'b'), splice(5, 6, 'c')]))).toBe('01234abc6789')
  })

  it.each([
    [[splice(0, 3, ''), splice(2, 4, '')]],
    [[splice(2, 6, ''), splice(3, 3, 'x')]],
    [[splice(1, 2, 'a'), splice(1, 2, 'a')]],
  ])('refuses an overlap (case %#)', (edits) => {
    expect(() => applySplices(bytes, edits)).toThrow(
      expect.objectContaining({ kind: 'internal', code: 'splice_overlap' }),
    )
  })

  it.each([
    [-1, 2],
    [4, 3],
    [9, 11],
    [11, 11],
    [0.5, 2],
    [0, Number.NaN],
  ])('refuses the range %s..%s', (start, end) => {
    expect(() => applySplices(bytes, [splice(start, end, 'x')])).toThrow(
      expect.objectContaining({ kind: 'internal', code: 'splice_out_of_range' }),
    )
  })

  it('equals editing the text from the back, for any clear ranges', () => {
    const cuts = fc
      .uniqueArray(fc.nat(60), { maxLength: 12 })
      .map((offsets) => offsets.sort((one, other) => one - other))
    const replacements = fc.array(fc.string({ maxLength: 5 }), { minLength: 6, maxLength: 6 })
    fc.assert(
      fc.property(cuts, replacements, fc.boolean(), (offsets, texts, isReversed) => {
        const original = 'abcdefghij'.repeat(6)
        const edits: Splice[] = []
        for (let pair = 0; pair * 2 + 1 < offsets.length; pair++) {
          edits.push(splice(offsets[pair * 2] ?? 0, offsets[pair * 2 + 1] ?? 0, texts[pair] ?? ''))
        }
        const expected = edits.reduceRight(
          (text, { start, end, replacement }) => text.slice(0, start) + decode(replacement) + text.slice(end),
          original,
        )
        expect(decode(applySplices(encode(original), isReversed ? edits.toReversed() : edits))).toBe(expected)
      }),
    )
  })
})
