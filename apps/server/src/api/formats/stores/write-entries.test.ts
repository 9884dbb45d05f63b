import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toJsonContent } from './encode-reply.ts'
import { writeFloat, writeFound, writeGot } from './write-entries.ts'

const encode = (text: string) => new TextEncoder().encode(text)

it.each([
  [0.1, '0.1'],
  [1 / 3, '0.33333334'],
  [3.4028234663852886e38, '3.4028235e+38'],
  [1e-45, '1.401298e-45'],
  [16_777_216, '16777216'],
  [-0, '0'],
  [-2.5, '-2.5'],
])('writes %d with the fewest digits', (value, text) => {
  expect(writeFloat(Math.fround(value))).toBe(text)
})

it('writes each 32-bit float so that reading gives it back', () => {
  fc.assert(
    fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(Math.fround(JSON.parse(writeFloat(value)) as number)).toBe(value + 0)
    }),
  )
})

it('writes the components of usual vectors with the fewest digits', () => {
  const component = fc.float({ min: Math.fround(-1), max: 1, noNaN: true })
  fc.assert(
    fc.property(component, (value) => {
      const texts = [7, 8, 9].map((digits) => String(Number(value.toPrecision(digits))))
      expect(writeFloat(value)).toBe(texts.find((text) => Math.fround(Number(text)) === value))
    }),
    { numRuns: 2000 },
  )
})

it('writes entries as JSON, with U+FFFD for bytes that are not UTF-8', () => {
  const entries = [
    { key: Float32Array.of(0.1, 2), value: encode('Grüße "x"\n'), similarity: 1 },
    { key: Float32Array.of(-1, 0), value: Uint8Array.of(0xef, 0xbb, 0xbf, 0xff), similarity: -0.5 },
  ]
  const shown = {
    keys: [
      [0.1, 2],
      [-1, 0],
    ],
    values: ['Grüße "x"\n', '\ufeff\ufffd'],
  }
  expect(JSON.parse([...writeGot(entries)].join(''))).toEqual(shown)
  expect(JSON.parse([...writeFound(entries)].join(''))).toEqual({ ...shown, similarities: [1, -0.5] })
  expect([...writeGot([])].join('')).toBe('{"keys":[],"values":[]}')
})

it.each([1, 2000])('gives the text of %i vectors as content', async (count) => {
  const key = Float32Array.from({ length: 32 }, (_, index) => index / 7)
  const entries = Array.from({ length: count }, () => ({ key, value: encode('a') }))
  const content = toJsonContent(writeGot(entries))
  const pieces: Uint8Array[] = []
  for await (const piece of content.read()) pieces.push(piece)
  const bytes = Buffer.concat(pieces)
  expect(content.length).toBe(count === 1 ? bytes.length : undefined)
  expect((JSON.parse(bytes.toString()) as { keys: number[][] }).keys).toHaveLength(count)
})
