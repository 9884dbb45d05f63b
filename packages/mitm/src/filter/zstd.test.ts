import { afterEach, describe, expect, it, vi } from 'vitest'
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
  ['other bytes', Buffer.from('{"a":"text that is not zstd"}')],
  ['an unknown kind of block', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, 1, 0x0f, 0, 0, 0])],
])('refuses %s', async (_name, bytes) => {
  await expect(decode(bytes)).rejects.toMatchObject({ kind: 'invalid_request', code: 'invalid_coding' })
})

const MAGIC = Buffer.of(0x28, 0xb5, 0x2f, 0xfd)
const RAW = 0
const REPEATED = 1
const COMPRESSED = 2

/** A block with its head: so many bytes are stored, or one byte is repeated so many times. */
function block(kind: number, size: number, isLast = true): Buffer {
  const head = Buffer.alloc(3)
  head.writeUIntLE((size << 3) | (kind << 1) | (isLast ? 1 : 0), 0, 3)
  return Buffer.concat([head, Buffer.alloc(kind === REPEATED ? 1 : size)])
}

/** A frame with these bytes between its magic number and its blocks. */
const framed = (head: readonly number[], ...rest: readonly Buffer[]): Buffer =>
  Buffer.concat([MAGIC, Buffer.from(head), ...rest])

const refused = expect.objectContaining({ kind: 'invalid_request', code: 'invalid_coding' })

describe('a frame', () => {
  it.each<[string, readonly number[], number | undefined]>([
    ['a size of one byte', [0x20, 5], 5],
    ['a size of two bytes', [0x60, 1, 2], 0x0201 + 256],
    ['a size of four bytes', [0xa0, 1, 2, 0, 0], 0x0201],
    ['a size of eight bytes', [0xe0, 1, 2, 0, 0, 0, 1, 0, 0], 0x0100_0000_0201],
    ['a window and no size', [0x00, 0x08], undefined],
    ['a window and a size of two bytes', [0x40, 0x08, 1, 2], 0x0201 + 256],
    ['a window and a size of four bytes', [0x80, 0x08, 1, 2, 0, 0], 0x0201],
    ['a window and a size of eight bytes', [0xc0, 0x08, 1, 2, 0, 0, 0, 1, 0, 0], 0x0100_0000_0201],
    ['the unused bit', [0x30, 5], 5],
    ['a window of 7.5 MiB', [0x00, 0x67], undefined],
    ['a window of 8 MiB', [0x00, 0x68], undefined],
    ['a single segment above 8 MiB', [0xa0, 0, 0, 0, 1], 0x0100_0000],
  ])('with %s is found', (_name, head, contentBytes) => {
    const bytes = framed(head, block(RAW, 2))
    expect(listZstdFrames(Buffer.concat([bytes, bytes]))).toEqual([
      { start: 0, end: bytes.length, contentBytes },
      { start: bytes.length, end: 2 * bytes.length, contentBytes },
    ])
  })

  it.each([
    ['the dictionary flag 1', [0x21, 5]],
    ['the dictionary flag 2', [0x22, 5]],
    ['the reserved bit', [0x28, 5]],
    ['a window of 9 MiB', [0x00, 0x69]],
    ['a window of 16 MiB', [0x00, 0x70]],
  ])('with %s is refused', (_name, head) => {
    expect(() => listZstdFrames(framed(head, block(RAW, 2)))).toThrow(refused)
  })

  it('has blocks of all kinds up to the last one, and four bytes of checksum where it says so', () => {
    const blocks = [block(RAW, 3, false), block(REPEATED, 70, false), block(COMPRESSED, 5, false), block(REPEATED, 9)]
    const plain = framed([0x20, 5], ...blocks)
    const summed = framed([0x24, 5], ...blocks, Buffer.alloc(4))
    const ends = listZstdFrames(Buffer.concat([plain, summed, plain])).map(({ start, end }) => [start, end])
    const second = plain.length + summed.length
    expect(ends).toEqual([
      [0, plain.length],
      [plain.length, second],
      [second, second + plain.length],
    ])
  })

  it('that is cut off at any byte is refused', () => {
    const bytes = framed([0xe4, 5, 0, 0, 0, 0, 0, 0, 0], block(RAW, 3, false), block(REPEATED, 9), Buffer.alloc(4))
    expect(listZstdFrames(bytes)).toHaveLength(1)
    for (let length = 1; length < bytes.length; length += 1) {
      expect(() => listZstdFrames(bytes.subarray(0, length))).toThrow(refused)
    }
  })
})

describe('frames for other programs', () => {
  const skippable = (kind: number, size: number) =>
    Buffer.concat([Buffer.of(0x50 + kind, 0x2a, 0x4d, 0x18, size, 0, 0, 0), Buffer.alloc(size)])

  it('are passed over, whatever their kind and size', () => {
    const wanted = framed([0x20, 5], block(RAW, 2))
    for (let kind = 0; kind < 16; kind += 1) {
      const bytes = Buffer.concat([skippable(kind, kind), wanted, skippable(kind, 0)])
      expect(listZstdFrames(bytes)).toEqual([{ start: 8 + kind, end: 8 + kind + wanted.length, contentBytes: 5 }])
    }
    expect(listZstdFrames(Buffer.alloc(0))).toEqual([])
  })

  it.each([0x4f, 0x60])('do not begin with %i', (first) => {
    expect(() => listZstdFrames(Buffer.of(first, 0x2a, 0x4d, 0x18, 0, 0, 0, 0))).toThrow(refused)
  })

  it('that are cut off at any byte are refused', () => {
    const bytes = skippable(0, 3)
    for (let length = 1; length < bytes.length; length += 1) {
      expect(() => listZstdFrames(bytes.subarray(0, length))).toThrow(refused)
    }
  })
})

it('bounds the frames and the blocks', () => {
  const one = framed([0x20, 0], block(RAW, 0))
  expect(listZstdFrames(Buffer.concat(Array<Buffer>(1000).fill(one)))).toHaveLength(1000)
  expect(() => listZstdFrames(Buffer.concat(Array<Buffer>(1001).fill(one)))).toThrow(refused)
  const many = (count: number) => [Buffer.alloc(3 * (count - 1)), block(RAW, 0)]
  expect(listZstdFrames(framed([0x20, 0], ...many(200_000)))).toHaveLength(1)
  expect(() => listZstdFrames(framed([0x20, 0], ...many(200_001)))).toThrow(refused)
  expect(() => listZstdFrames(Buffer.concat([one, framed([0x20, 0], ...many(200_000))]))).toThrow(refused)
})

describe('a thread that decodes', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it('takes a body of exactly the limit, announced or not', async () => {
    expect(await decode(frame('hello'), 5)).toBe('hello')
    expect(await decode(frame('hello', { window: 0x08 }), 5)).toBe('hello')
    expect(await decode(Buffer.concat([frame('hello'), frame('you')]), 7)).toBeUndefined()
  })

  it('ends at its limit of time, which ends with it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    expect(await decode(frame('hello'))).toBe('hello')
    expect(vi.getTimerCount()).toBe(0)
    const late = expect(decode(frame('hello'))).rejects.toEqual(refused)
    await vi.advanceTimersByTimeAsync(20_000)
    await late
    expect(vi.getTimerCount()).toBe(0)
  })

  it('ends when nobody waits for it, and gives its place to the next', async () => {
    const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()]
    const start = ({ signal }: AbortController) => decodeZstd(frame('hello'), 1000, signal)
    const [running, alsoRunning, waiting, last] = [start(first), start(second), start(third), decode(frame('last'))]
    const left = new Error('the client left')
    third.abort(left)
    await Promise.resolve()
    first.abort(left)
    await Promise.all([expect(running).rejects.toEqual(refused), expect(waiting).rejects.toBe(left)])
    expect([String(await alsoRunning), await last]).toEqual(['hello', 'last'])
    expect(await Promise.all([decode(frame('a')), decode(frame('b')), decode(frame('c'))])).toEqual(['a', 'b', 'c'])
  })
})
