import { crc32, deflateSync } from 'node:zlib'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** A PNG of one colour (0xRRGGBB). */
export function encodePng(size: { readonly width: number; readonly height: number }, colour: number): Buffer {
  const { width, height } = size
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 2, 0, 0, 0], 8)
  const row = Buffer.alloc(1 + width * 3)
  for (let x = 0; x < width; x += 1) row.writeUIntBE(colour & 0xffffff, 1 + x * 3, 3)
  const pixels = Buffer.concat(Array.from({ length: height }, () => row))
  return Buffer.concat([SIGNATURE, chunk('IHDR', head), chunk('IDAT', deflateSync(pixels)), chunk('IEND', Buffer.of())])
}

/** Width and height of a PNG; a pixel for anything else. */
export function readPngSize(bytes: Buffer): { width: number; height: number } {
  const isPng = bytes.length >= 24 && bytes.subarray(0, 8).equals(SIGNATURE)
  return isPng ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) } : { width: 1, height: 1 }
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const out = Buffer.alloc(body.length + 8)
  out.writeUInt32BE(data.length, 0)
  body.copy(out, 4)
  out.writeUInt32BE(crc32(body), out.length - 4)
  return out
}
