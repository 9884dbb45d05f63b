/** A part of a picture: one byte a point, row by row; anything but 0 is marked. */
export interface Mask {
  readonly width: number
  readonly height: number
  readonly marked: Uint8Array
}

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
/** Grey with transparency, 8 bits each. */
const GREY_ALPHA = 4

/**
 * Writes a mask as a PNG picture. Marked points are white and transparent, the others black and opaque: some backends
 * look at the colour and others at the transparency. A canvas would lose the colour of transparent points.
 */
export async function encodeMask({ width, height, marked }: Mask): Promise<Blob> {
  const rows = new Uint8Array(height * (1 + width * 2))
  let at = 0
  for (let y = 0; y < height; y += 1) {
    // every row begins with its filter: none
    at += 1
    for (let x = 0; x < width; x += 1) {
      const isMarked = marked[y * width + x] !== 0
      rows[at] = isMarked ? 255 : 0
      rows[at + 1] = isMarked ? 0 : 255
      at += 2
    }
  }
  const head = new DataView(new ArrayBuffer(13))
  head.setUint32(0, width)
  head.setUint32(4, height)
  head.setUint8(8, 8)
  head.setUint8(9, GREY_ALPHA)
  const parts = [
    SIGNATURE,
    writeChunk('IHDR', new Uint8Array(head.buffer)),
    writeChunk('IDAT', await deflate(rows)),
    writeChunk('IEND', new Uint8Array()),
  ]
  return new Blob(parts as BlobPart[], { type: 'image/png' })
}

async function deflate(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new CompressionStream('deflate'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

function writeChunk(name: string, data: Uint8Array): Uint8Array {
  const chunk = new Uint8Array(12 + data.length)
  const view = new DataView(chunk.buffer)
  view.setUint32(0, data.length)
  for (const [index, letter] of [...name].entries()) chunk[4 + index] = letter.charCodeAt(0)
  chunk.set(data, 8)
  view.setUint32(8 + data.length, checksum(chunk.subarray(4, 8 + data.length)))
  return chunk
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1
  return value
})

function checksum(bytes: Uint8Array): number {
  let value = 0xffffffff
  for (const byte of bytes) value = (TABLE[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8)
  return (value ^ 0xffffffff) >>> 0
}
