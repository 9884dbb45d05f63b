import { parseJsonCooperatively, toValueCooperatively } from '@svc/json'
import { fetchFailed, type Trust } from './failures.ts'

/**
 * A reply whose content has not been read. Read it once with `body`, `bytes` or `json`, or close it; otherwise it keeps
 * its connection until the time limit of the fetch.
 */
export interface OutboundResponse extends AsyncDisposable {
  readonly status: number
  /** Final address of the reply, without fragment. */
  readonly url: string
  /** Names in lower case, without cookies and without the encoding of decoded content. */
  readonly headers: Readonly<Record<string, string>>
  /** The decoded content; it fails above `maxBytes`. Ending the loop early cuts the connection. */
  readonly body: AsyncIterable<Uint8Array>
  /** Reads the whole content. */
  bytes(): Promise<Uint8Array>
  /**
   * Reads the content as JSON of limited depth and size.
   *
   * @throws SvcError `fetch_failed` for other content
   */
  json(): Promise<unknown>
  /** Cuts the connection, unless the content has been read to its end. */
  close(): Promise<void>
}

/** Parts of a response. */
export interface ResponseOptions {
  readonly status: number
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly content: AsyncGenerator<Uint8Array, void, undefined>
  /** Cuts the connection; does nothing once it is closed. */
  readonly cut: () => void
  readonly trust: Trust
  readonly signal: AbortSignal
}

/** Creates the response of a content stream. */
export function createResponse(options: ResponseOptions): OutboundResponse {
  const { status, url, headers, content, cut, trust, signal } = options
  let isTaken = false
  const take = () => {
    if (isTaken) throw new Error('the content of an outbound response can be read only once')
    isTaken = true
    return content
  }
  const bytes = async () => {
    const chunks: Uint8Array[] = []
    for await (const chunk of take()) chunks.push(chunk)
    return Buffer.concat(chunks)
  }
  const close = async () => {
    isTaken = true
    cut()
  }
  return {
    status,
    url,
    headers,
    body: { [Symbol.asyncIterator]: take },
    bytes,
    async json() {
      const text = await bytes()
      try {
        const { root } = await parseJsonCooperatively(text, {}, { signal })
        return await toValueCooperatively(root, { signal })
      } catch (error) {
        signal.throwIfAborted()
        throw fetchFailed('invalid_json', { trust, cause: error })
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
