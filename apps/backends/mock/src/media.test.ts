import { inflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { encodePng, readPngSize } from './png.ts'
import { encodeWav, makeTone } from './wav.ts'

it('writes a PNG of one colour', () => {
  const png = encodePng({ width: 3, height: 2 }, 0x102030)
  expect(readPngSize(png)).toEqual({ width: 3, height: 2 })
  const at = png.indexOf('IDAT')
  const pixels = inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)))
  expect(pixels.toString('hex')).toBe(`00${'102030'.repeat(3)}`.repeat(2))
  expect(png.subarray(-12).toString('hex')).toBe('0000000049454e44ae426082')
  expect(readPngSize(Buffer.from('no picture'))).toEqual({ width: 1, height: 1 })
})

it('writes a WAV of 16-bit mono PCM', () => {
  const pcm = makeTone(0.25)
  const wav = encodeWav(pcm)
  expect(wav.toString('latin1', 0, 4) + wav.toString('latin1', 8, 16)).toBe('RIFFWAVEfmt ')
  expect(wav.readUInt32LE(4)).toBe(wav.length - 8)
  expect(wav.readUInt32LE(24)).toBe(16_000)
  expect(wav.readUInt32LE(40)).toBe(pcm.length)
  expect(pcm).toHaveLength(16_000 * 0.25 * 2)
})
