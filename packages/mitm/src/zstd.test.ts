import { expect, it } from 'vitest'
import { decodeZstd, listZstdFrames } from './zstd.ts'

/** A frame of raw blocks. */
function frame(text: string, { size = Buffer.byteLength(text), window = 0x20 } = {}): Buffer {
  const content = Buffer.from(text)
  const block = Buffer.alloc(3)
  block.writeUIntLE((content.length << 3) | 1, 0, 3)
  // A single segment with a size of four bytes, or a window.
  const head = window === 0x20 ? Buffer.of(0xa0, 0, 0, 0, 0) : Buffer.of(0x00, window)
  if (window === 0x20) head.writeUInt32LE(size, 1)
  return Buffer.concat([Buffer.of(0x28, 0xb5, 0x2f, 0xfd), head, block, content])
}

const decode = async (bytes: Buffer, limit = 1000) =>
  (await decodeZstd(bytes, limit, new AbortController().signal))?.toString()

it('decodes frames one after the other, and passes over others', async () => {
  const skippable = Buffer.concat([Buffer.of(0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0), Buffer.from('abc')])
  expect(await decode(Buffer.concat([frame('hello '), skippable, frame('world')]))).toBe('hello world')
  expect(await decode(frame('window', { window: 0x08 }))).toBe('window')
})

it('returns nothing past the limit, announced or not', async () => {
  expect(await decode(frame('hello'), 4)).toBeUndefined()
  expect(await decode(frame('hello', { window: 0x08 }), 4)).toBeUndefined()
})

it.each<[string, Buffer]>([
  ['a size that lies', frame('hello', { size: 4 })],
  ['a window above 8 MiB', frame('hello', { window: 0xff })],
  ['a dictionary', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x21, 1, 7, 9, 0, 0, 1])],
  ['a frame that is cut off', frame('hello').subarray(0, -1)],
  ['bytes behind the frame', Buffer.concat([frame('hello'), Buffer.from('rest of it')])],
  ['other bytes', Buffer.from('{"a":"text that is no zstd"}')],
  ['an unknown kind of block', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, 1, 0x0f, 0, 0, 0])],
])('refuses %s', async (_name, bytes) => {
  await expect(decode(bytes)).rejects.toMatchObject({ kind: 'invalid_request', code: 'invalid_coding' })
})

it('bounds the frames', () => {
  expect(() => listZstdFrames(Buffer.concat(Array.from({ length: 1001 }, () => frame('x'))))).toThrow(/zstd/)
})
