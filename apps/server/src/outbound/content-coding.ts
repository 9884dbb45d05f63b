import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { fetchFailed, type Trust } from './failures.ts'

/** Encoding of content on the wire. */
export type ContentCoding = 'identity' | 'gzip' | 'deflate' | 'br'

const CODINGS: Readonly<Record<string, ContentCoding>> = {
  '': 'identity',
  identity: 'identity',
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  br: 'br',
}

/** Parses `Content-Encoding`; undefined for unsupported codings, including several at once. */
export function parseContentCoding(value: string | undefined): ContentCoding | undefined {
  const name = (value ?? '').trim().toLowerCase()
  return Object.hasOwn(CODINGS, name) ? CODINGS[name] : undefined
}

/**
 * Decodes content as it comes, at the pace of its reader. Empty content is empty in every coding.
 *
 * @throws SvcError `fetch_failed` for content that is damaged or ends early; the error of the source
 */
export async function* decodeContent(
  source: AsyncIterable<Uint8Array>,
  { coding, trust }: { readonly coding: Exclude<ContentCoding, 'identity'>; readonly trust: Trust },
): AsyncGenerator<Uint8Array, void, undefined> {
  const iterator = source[Symbol.asyncIterator]()
  const first = await iterator.next()
  if (first.done === true) return
  let sourceError: { readonly error: unknown } | undefined
  const input = async function* () {
    try {
      yield first.value
      for await (const chunk of { [Symbol.asyncIterator]: () => iterator }) yield chunk
    } catch (error) {
      sourceError = { error }
      throw error
    }
  }
  const decoder = createDecoder(coding, first.value[0] ?? 0)
  // Its failure comes out of the decoder. It is not awaited, because it ends with the source, which may be later.
  pipeline(input(), decoder).catch(() => {})
  try {
    for await (const chunk of decoder) yield chunk
  } catch (error) {
    throw sourceError === undefined ? fetchFailed('invalid_encoding', { trust, cause: error }) : sourceError.error
  } finally {
    decoder.destroy()
  }
}

function createDecoder(coding: Exclude<ContentCoding, 'identity'>, firstByte: number) {
  switch (coding) {
    case 'gzip':
      return createGunzip()
    case 'br':
      return createBrotliDecompress()
    case 'deflate':
      // Some servers send raw deflate, which lacks the zlib header whose low half-byte is always 8.
      return (firstByte & 0x0f) === 8 ? createInflate() : createInflateRaw()
  }
}
