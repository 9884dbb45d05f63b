import { inflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { encodeMask } from './png.ts'

/** CRC of `IEND` without data, as every PNG ends. */
const END = '0000000049454e44ae426082'

it('writes marked points white and transparent, the others black and opaque', async () => {
  const blob = await encodeMask({ width: 3, height: 2, marked: Uint8Array.of(0, 1, 0, 0, 0, 7) })
  const png = Buffer.from(await blob.arrayBuffer())
  expect(blob.type).toBe('image/png')
  expect(png.toString('hex', 0, 8)).toBe('89504e470d0a1a0a')
  expect(png.toString('hex', 16, 29)).toBe('00000003000000020804000000')
  const at = png.indexOf('IDAT')
  const rows = inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)))
  expect(rows.toString('hex')).toBe(`00${'00ff'}${'ff00'}${'00ff'}00${'00ff'}${'00ff'}${'ff00'}`)
  expect(png.toString('hex').endsWith(END)).toBe(true)
})
