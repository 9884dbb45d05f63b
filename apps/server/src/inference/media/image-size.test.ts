import { describe, expect, it } from 'vitest'
import { PNG } from './__fixtures__/samples.ts'
import { checkImage } from './check-image.ts'
import { countSizeBytes, readImageSize } from './image-size.ts'

const jpegSegment = (marker: number, content: Buffer): Buffer => {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(content.length + 2, 2)
  return Buffer.concat([head, content])
}
/** Precision, height, width, components. */
const frame = (width: number, height: number): Buffer => {
  const content = Buffer.alloc(15)
  content.writeUInt16BE(height, 1)
  content.writeUInt16BE(width, 3)
  return content
}
const SOI = Buffer.from([0xff, 0xd8])
const note = (bytes: number) => jpegSegment(0xe1, Buffer.alloc(bytes, 0xff))
const jpeg = (...parts: Buffer[]) => Buffer.concat([SOI, ...parts, Buffer.from([0xff, 0xd9])])

function webp(type: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`RIFF\0\0\0\0WEBP${type}\0\0\0\0`, 'latin1'), body, Buffer.alloc(16)])
}
const lossy = Buffer.from([0, 0, 0, 0x9d, 0x01, 0x2a, 0x20, 0x43, 0x10, 0x80])
const lossless = Buffer.from([0x2f, 0, 0, 0, 0])
lossless.writeUInt32LE((799 | (599 << 14)) >>> 0, 1)
const extended = Buffer.from([0, 0, 0, 0, 0x1f, 0x03, 0, 0x57, 0x02, 0])
const gif = Buffer.from('GIF89a\x20\x03\x58\x02\0\0\0', 'latin1')

describe('the size of an image', () => {
  it.each<[string, string, Buffer, readonly [number, number]]>([
    ['a PNG', 'image/png', PNG, [1, 1]],
    ['a GIF', 'image/gif', gif, [800, 600]],
    ['a JPEG', 'image/jpeg', jpeg(jpegSegment(0xc0, frame(800, 600))), [800, 600]],
    ['a progressive JPEG', 'image/jpeg', jpeg(jpegSegment(0xc2, frame(3, 2))), [3, 2]],
    [
      'a JPEG behind megabytes of notes',
      'image/jpeg',
      jpeg(
        ...Array.from({ length: 40 }, () => note(65_000)),
        jpegSegment(0xc4, frame(9, 9)),
        jpegSegment(0xc0, frame(5, 4)),
      ),
      [5, 4],
    ],
    [
      'a JPEG with fill bytes',
      'image/jpeg',
      jpeg(Buffer.from([0xff, 0xff, 0x01]), jpegSegment(0xc1, frame(7, 6))),
      [7, 6],
    ],
    ['a lossy WebP', 'image/webp', webp('VP8 ', lossy), [0x320, 0x10]],
    ['a lossless WebP', 'image/webp', webp('VP8L', lossless), [800, 600]],
    ['an extended WebP', 'image/webp', webp('VP8X', extended), [800, 600]],
  ])('of %s stands in its header', (_name, mediaType, bytes, [width, height]) => {
    expect(readImageSize(bytes, mediaType)).toEqual({ width, height })
    const head = bytes.subarray(0, countSizeBytes(mediaType))
    expect(readImageSize(head, mediaType)).toEqual({ width, height })
  })

  it.each<[string, string, Buffer]>([
    ['a PNG that is cut off', 'image/png', PNG.subarray(0, 20)],
    ['a PNG without a header', 'image/png', Buffer.concat([PNG.subarray(0, 8), Buffer.alloc(40, 1)])],
    ['a GIF without points', 'image/gif', Buffer.from('GIF89a\0\0\0\0\0\0', 'latin1')],
    ['a JPEG without a frame', 'image/jpeg', jpeg(note(10))],
    [
      'a JPEG whose data come first',
      'image/jpeg',
      jpeg(jpegSegment(0xda, Buffer.alloc(8)), jpegSegment(0xc0, frame(5, 5))),
    ],
    ['a JPEG whose frame is cut off', 'image/jpeg', Buffer.concat([SOI, Buffer.from([0xff, 0xc0, 0, 17, 8])])],
    ['a JPEG whose segment has no length', 'image/jpeg', Buffer.concat([SOI, Buffer.alloc(1000, 0xff)])],
    ['a WebP of another kind', 'image/webp', webp('ABCD', lossy)],
    ['a WebP without its mark', 'image/webp', webp('VP8 ', Buffer.alloc(10))],
    ['a TIFF', 'image/tiff', Buffer.alloc(100)],
    ['nothing', 'image/png', Buffer.of()],
  ])('of %s is unknown, and the image is refused', (_name, mediaType, bytes) => {
    expect(readImageSize(bytes, mediaType)).toBeUndefined()
    const check = () => checkImage({ mediaType, head: (length) => bytes.subarray(0, length) }, { param: 'image' })
    expect(check).toThrow(expect.objectContaining({ kind: 'invalid_request', code: 'invalid_media' }))
  })

  it('never throws, whatever the bytes are', () => {
    let seed = 1
    const next = (): number => {
      seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff
      return seed >> 8
    }
    const starts = [PNG, gif, jpeg(jpegSegment(0xc0, frame(8, 6))), webp('VP8 ', lossy), webp('VP8X', extended)]
    const types = ['image/png', 'image/gif', 'image/jpeg', 'image/webp']
    for (let run = 0; run < 20_000; run += 1) {
      const bytes = Buffer.from(starts[run % starts.length] ?? PNG)
      for (let edit = next() % 4; edit >= 0; edit -= 1) bytes[next() % bytes.length] = next() & 0xff
      for (const mediaType of types) {
        const size = readImageSize(bytes.subarray(0, next() % (bytes.length + 1)), mediaType)
        if (size !== undefined) expect(size.width > 0 && size.height > 0).toBe(true)
      }
    }
  })
})
