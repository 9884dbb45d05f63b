import { randomBytes } from 'node:crypto'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeContent, parseContentCoding } from './content-coding.ts'

const ENCODERS = { gzip: [gzipSync], deflate: [deflateSync, deflateRawSync], br: [brotliCompressSync] } as const

async function* pieces(bytes: Uint8Array, size: number) {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

async function collect(source: AsyncIterable<Uint8Array>) {
  const chunks: Uint8Array[] = []
  for await (const chunk of source) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const CODINGS = ['gzip', 'deflate', 'br'] as const
const TEXT = Buffer.from('one and one and one makes three '.repeat(5000))

describe('parseContentCoding', () => {
  it.each([
    [undefined, 'identity'],
    ['', 'identity'],
    ['identity', 'identity'],
    [' GZIP ', 'gzip'],
    ['x-gzip', 'gzip'],
    ['deflate', 'deflate'],
    ['br', 'br'],
    ['zstd', undefined],
    ['gzip, gzip', undefined],
    ['constructor', undefined],
  ])('%j is %s', (value, coding) => {
    expect(parseContentCoding(value)).toBe(coding)
  })
})

describe.each(CODINGS)('decodeContent of %s', (coding) => {
  const decode = (source: AsyncIterable<Uint8Array>) => decodeContent(source, { coding, trust: 'public' })

  it('gives back the encoded content, for any cuts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 1, max: 50 }), async (bytes, size) => {
        for (const encode of ENCODERS[coding]) {
          expect(await collect(decode(pieces(encode(bytes), size)))).toEqual(Buffer.from(bytes))
        }
      }),
      { numRuns: 30 },
    )
  })

  it('takes no bytes for no content', async () => {
    expect(await collect(decode(pieces(new Uint8Array(), 1)))).toHaveLength(0)
  })

  it.each(['cut off', 'damaged'])('fails on content that is %s', async (how) => {
    const encoded = ENCODERS[coding][0](TEXT)
    const broken = how === 'cut off' ? encoded.subarray(0, -9) : Buffer.from(encoded.map((byte) => byte ^ 0x55))
    await expect(collect(decode(pieces(broken, 100)))).rejects.toMatchObject({
      kind: 'upstream_failed',
      code: 'fetch_failed',
      details: { reason: 'invalid_encoding' },
    })
  })

  it('passes on the error of its source', async () => {
    const encoded = ENCODERS[coding][0](TEXT)
    const failure = new Error('cut')
    const source = async function* () {
      yield encoded.subarray(0, 20)
      throw failure
    }
    await expect(collect(decode(source()))).rejects.toBe(failure)
  })

  it('reads no further than it is read', async () => {
    let taken = 0
    const encoded = ENCODERS[coding][0](randomBytes(1_000_000))
    const source = async function* () {
      for await (const piece of pieces(encoded, 1000)) {
        taken += piece.length
        yield piece
      }
    }
    for await (const _ of decode(source())) break
    expect(taken).toBeLessThan(encoded.length / 2)
  })
})
