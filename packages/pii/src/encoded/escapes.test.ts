import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Encoding } from './encodings.ts'
import { readEscapes } from './escapes.ts'
import type { Reading } from './reading.ts'

function read(text: string, ...encodings: Encoding[]): Reading | undefined {
  return [...readEscapes(text, new Set(encodings))].find((reading) => reading !== undefined)
}

const BOTH: readonly Encoding[] = ['percent', 'html']

describe('escapes', () => {
  it.each([
    ['%41%62c', 'Abc'],
    ['100%25 of %zz %', '100% of %zz %'],
    ['%C3%A9%F0%9F%94%91%41', 'é🔑A'],
    ['%C3%41%80', '\ufffdA\ufffd'],
    ['%EF%BB%BFx', '\ufeffx'],
    ['&#65;&#x42;&#X43;', 'ABC'],
    ['&#65&#066 &#x0043g', 'AB Cg'],
    ['&#128273;&#x1F511;', '🔑🔑'],
    ['&#0000000000065;&#x0000000000042;&#00000067', 'ABC'],
    ['&lowbar;&commat;&nbsp;&LT;', '_@\u00a0<'],
    ['%26%2365;&amp;#65;', '&#65;&#65;'],
  ])('%j is %j', (text, expected) => {
    expect(read(text, ...BOTH)?.text).toBe(expected)
  })

  it.each([
    '',
    'R&D, 100%',
    '%zz %4 %',
    '&lt &bogus; &constructor; &;',
    '&#0; &#00000000000; &#xd800; &#57343; &#x110000; &#9999999; &#; &#x;',
  ])('none are in %j', (text) => {
    expect(read(text, ...BOTH)).toBeUndefined()
  })

  it('are read as asked for, one kind without the other', () => {
    const text = '%41 &#66;'
    expect(read(text, 'percent')?.text).toBe('A &#66;')
    expect(read(text, 'html')?.text).toBe('%41 B')
    expect(read(text)).toBeUndefined()
  })
})

it('any range of a reading leads back to its source characters', () => {
  const piece = fc.oneof(
    fc.constantFrom('a', 'bc', 'é', '🔑', ' ').map((text) => ({ written: text, text })),
    fc.constantFrom(
      { written: '%41', text: 'A' },
      { written: '%2D', text: '-' },
      { written: '%C3%A9', text: 'é' },
      { written: '%F0%9F%94%91', text: '🔑' },
      { written: '&#65;', text: 'A' },
      { written: '&#45;', text: '-' },
      { written: '&#x1F511;', text: '🔑' },
      { written: '&lowbar;', text: '_' },
    ),
  )
  const property = fc.property(
    fc.array(piece, { minLength: 1, maxLength: 20 }),
    fc.nat(),
    fc.nat(),
    (pieces, one, other) => {
      const reading = read(pieces.map(({ written }) => written).join(''), ...BOTH)
      const text = pieces.map((each) => each.text).join('')
      const [from = 0, to = 0] = [one % pieces.length, other % pieces.length].sort((first, second) => first - second)
      const start = pieces.slice(0, from).reduce((sum, each) => sum + each.text.length, 0)
      const end = pieces.slice(0, to + 1).reduce((sum, each) => sum + each.text.length, 0)
      if (reading === undefined) return
      expect(reading.text).toBe(text)
      const written = (count: number) => pieces.slice(0, count).reduce((sum, each) => sum + each.written.length, 0)
      const found = reading.toSource({ start, end })
      expect(found).toEqual({ start: written(from), end: written(to + 1) })
    },
  )
  fc.assert(property, { numRuns: 2000 })
})
