import { once } from 'node:events'
import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import { bodyTooLarge, invalidRequest, MitmError } from '../errors.ts'
import { listValues, type RawHeaders } from '../headers.ts'
import { decodeZstd } from './zstd.ts'

/** A coding of a body that can be decoded. */
export type ContentCoding = 'identity' | 'gzip' | 'deflate' | 'br' | 'zstd'

const CODINGS: ReadonlyMap<string, ContentCoding> = new Map([
  ['', 'identity'],
  ['identity', 'identity'],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
  ['zstd', 'zstd'],
])

/** Reads the coding of a body; undefined for an unknown coding, and for several codings one around the other. */
export function readCoding(headers: RawHeaders): ContentCoding | undefined {
  return CODINGS.get(listValues(headers, 'content-encoding').join(',').trim().toLowerCase())
}

/** The refusal of a coding that cannot be scanned. */
export function unsupportedCoding(): MitmError {
  return new MitmError('unsupported_media', 'the content coding of the request body cannot be scanned', {
    code: 'unsupported_content_coding',
  })
}

/** Options of {@link decodeBody}. */
export interface DecodeOptions {
  readonly coding: ContentCoding
  readonly limitBytes: number
  /** Called for the bytes of the decoded body. */
  readonly onBytes: (count: number) => void
  readonly signal: AbortSignal
}

/**
 * Decodes a body.
 *
 * @throws {SvcError} `body_too_large` past the limit, `invalid_coding` for broken data
 */
export async function decodeBody(bytes: Buffer, options: DecodeOptions): Promise<Buffer> {
  const { coding, limitBytes, onBytes, signal } = options
  if (coding === 'identity') return bytes
  const stream = createDecoder(coding, bytes)
  if (stream !== undefined) return runDecoder(stream, bytes, options)
  const decoded = await decodeZstd(bytes, limitBytes, signal)
  if (decoded === undefined) throw bodyTooLarge(limitBytes)
  onBytes(decoded.length)
  return decoded
}

/** @returns undefined for zstd where Node has no decoder for it (before version 22.15) */
function createDecoder(coding: Exclude<ContentCoding, 'identity'>, bytes: Buffer): Transform | undefined {
  switch (coding) {
    case 'gzip':
      return zlib.createGunzip()
    case 'deflate':
      // Some senders leave the wrapping of zlib away.
      return hasZlibHeader(bytes) ? zlib.createInflate() : zlib.createInflateRaw()
    case 'br':
      return zlib.createBrotliDecompress()
    case 'zstd': {
      const create: unknown = Reflect.get(zlib, 'createZstdDecompress')
      return typeof create === 'function' ? create() : undefined
    }
  }
}

function hasZlibHeader(bytes: Buffer): boolean {
  const [first = 0, second = 0] = bytes
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0
}

async function runDecoder(stream: Transform, bytes: Buffer, options: DecodeOptions): Promise<Buffer> {
  const { limitBytes, onBytes, signal } = options
  const parts: Buffer[] = []
  let total = 0
  let failure: unknown
  const stop = (): void => void stream.destroy()
  signal.addEventListener('abort', stop, { once: true })
  stream.on('data', (part: Buffer) => {
    total += part.length
    try {
      if (total > limitBytes) throw bodyTooLarge(limitBytes)
      onBytes(part.length)
      parts.push(part)
    } catch (error) {
      failure ??= error
      stream.destroy()
    }
  })
  stream.on('error', (error) => {
    failure ??= invalidRequest(
      'the request body does not have the content coding that it names',
      'invalid_coding',
      error,
    )
  })
  stream.end(bytes)
  // An error of the stream is in `failure`, and a destroyed stream has not ended.
  await once(stream, 'close').catch(() => undefined)
  signal.removeEventListener('abort', stop)
  signal.throwIfAborted()
  if (failure !== undefined) throw failure
  return Buffer.concat(parts, total)
}
