import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildByteTable } from './byte-offsets.ts'

const encoder = new TextEncoder()

describe('byte offsets', () => {
  it.each([
    ['ASCII', 'mail ada now', 'ada'],
    ['two bytes a character', 'Café «Nordlicht» ada', 'Nordlicht'],
    ['emoji before the match', '👋🏽 ada', 'ada'],
    ['a joined emoji as the match', 'a 👩‍👩‍👧 b', '👩‍👩‍👧'],
    ['combining marks', 'e\u0301e\u0301 ada', 'ada'],
    ['CRLF line ends', 'one\r\ntwo\r\nada', 'ada'],
    ['three bytes a character', '日本語のada', 'ada'],
  ])('finds a match: %s', (_, text, match) => {
    const at = text.indexOf(match)
    const start = encoder.encode(text.slice(0, at)).length
    const end = start + encoder.encode(match).length
    const table = buildByteTable(text)
    expect(text.slice(table.toIndex(start), table.toIndex(end))).toBe(match)
    expect(table.byteLength).toBe(encoder.encode(text).length)
  })

  it('has no place inside a character or behind the text', () => {
    const table = buildByteTable('é👋')
    expect([0, 1, 2, 3, 4, 5, 6, 7].map((offset) => table.toIndex(offset))).toEqual([
      ...[0, undefined, 1, undefined, undefined, undefined, 3, undefined],
    ])
    expect(table.toIndex(-1)).toBeUndefined()
  })

  it('counts a lone half of a pair as three bytes', () => {
    const table = buildByteTable('a\ud83db')
    expect([table.byteLength, table.toIndex(4), table.toIndex(5)]).toEqual([5, 2, 3])
  })

  it('agrees with the encoder at every character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        const table = buildByteTable(text)
        let index = 0
        for (const character of text) {
          expect(table.toIndex(encoder.encode(text.slice(0, index)).length)).toBe(index)
          index += character.length
        }
        expect(table.toIndex(encoder.encode(text).length)).toBe(text.length)
      }),
    )
  })
})
