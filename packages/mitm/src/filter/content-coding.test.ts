import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { bufferFull } from '../errors.ts'
import { type ContentCoding, decodeBody, readCoding, unsupportedCoding } from './content-coding.ts'

const { signal } = new AbortController()

it.each<[readonly string[], ContentCoding | undefined]>([
  [[], 'identity'],
  [['content-encoding', ''], 'identity'],
  [['Content-Encoding', ' Identity '], 'identity'],
  [['content-encoding', 'GZIP'], 'gzip'],
  [['content-encoding', 'x-gzip'], 'gzip'],
  [['content-encoding', 'deflate'], 'deflate'],
  [['content-encoding', 'br'], 'br'],
  [['content-encoding', 'zstd'], 'zstd'],
  [['content-encoding', 'compress'], undefined],
  [['content-encoding', 'gzip, br'], undefined],
  [['content-encoding', 'gzip', 'Content-Encoding', 'gzip'], undefined],
  [['content-encoding', 'identity', 'content-encoding', 'identity'], undefined],
])('the headers %j name the coding %s', (headers, coding) => {
  expect(readCoding(headers)).toBe(coding)
})

it('another coding is a 415', () => {
  expect(unsupportedCoding()).toMatchObject({ kind: 'unsupported_media', code: 'unsupported_content_coding' })
})

/** Texts at whose ends codings differ. */
const TEXTS = ['', 'a', 'hello hello hello', 'x'.repeat(100_000)]
const ENCODERS: readonly (readonly [ContentCoding, string, (text: string) => Buffer])[] = [
  ['gzip', 'gzip', gzipSync],
  ['deflate', 'deflate with its wrapping', deflateSync],
  ['deflate', 'deflate with wrapping of another level', (text) => deflateSync(text, { level: 1 })],
  ['deflate', 'deflate without wrapping', deflateRawSync],
  ['br', 'br', brotliCompressSync],
]

describe.each(ENCODERS)('%s: %s', (coding, _name, encode) => {
  it('is decoded, and its bytes are counted', async () => {
    for (const text of TEXTS) {
      let counted = 0
      const onBytes = (count: number) => {
        counted += count
      }
      const decoded = await decodeBody(encode(text), { coding, limitBytes: 100_000, onBytes, signal })
      expect([decoded.length, decoded.toString() === text, counted]).toEqual([text.length, true, text.length])
    }
  })

  it('past the limit is too large', async () => {
    const options = { coding, limitBytes: 16, onBytes: () => {}, signal }
    await expect(decodeBody(encode('hello hello hello'), options)).rejects.toMatchObject({ code: 'body_too_large' })
    await decodeBody(encode('hello hello hell'), options)
  })

  it('for which there is no memory is refused', async () => {
    const onBytes = () => {
      throw bufferFull()
    }
    const options = { coding, limitBytes: 16, onBytes, signal }
    await expect(decodeBody(encode('hello'), options)).rejects.toMatchObject({ code: 'mitm_buffer_full' })
  })

  it('that is cut off or broken is refused', async () => {
    const options = { coding, limitBytes: 1000, onBytes: () => {}, signal }
    const broken = { kind: 'invalid_request', code: 'invalid_coding', cause: expect.any(Error) }
    await expect(decodeBody(encode('hello').subarray(0, -2), options)).rejects.toMatchObject(broken)
    await expect(decodeBody(Buffer.from('~ no coding'), options)).rejects.toMatchObject(broken)
  })

  it('ends with the client', async () => {
    const leaving = new AbortController()
    const reason = new Error('the client left')
    const options = { coding, limitBytes: 100_000, onBytes: () => {}, signal: leaving.signal }
    const decoded = decodeBody(encode('x'.repeat(100_000)), options)
    leaving.abort(reason)
    await expect(decoded).rejects.toBe(reason)
  })
})

it('a body without a coding is given back as it is', async () => {
  const body = Buffer.from('hello')
  const options = { coding: 'identity', limitBytes: 1, onBytes: () => {}, signal } as const
  expect(await decodeBody(body, options)).toBe(body)
})
