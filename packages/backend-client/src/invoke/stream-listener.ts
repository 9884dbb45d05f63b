import type { ClientHttp2Stream, IncomingHttpHeaders, IncomingHttpStatusHeader } from 'node:http2'

/** Takes what happens on a stream. */
export interface StreamListener {
  onResponse(headers: IncomingHttpHeaders & IncomingHttpStatusHeader, flags: number): void
  onData(chunk: Buffer): void
  onTrailers(headers: IncomingHttpHeaders): void
  onStreamEnd(): void
  onClose(): void
  /** A close follows. */
  onError(error: Error): void
}

/**
 * Lets a listener hear of a stream. Node keeps a stream that is over, and the functions that listen to it, until the next
 * full garbage collection. A listener that has hung up is not kept with them.
 *
 * @returns a function that hangs up
 */
export function listenTo(stream: ClientHttp2Stream, listener: StreamListener): () => void {
  let hearing: StreamListener | undefined = listener
  stream.on('response', (headers, flags) => hearing?.onResponse(headers, flags))
  stream.on('data', (chunk: Buffer) => hearing?.onData(chunk))
  stream.on('trailers', (headers) => hearing?.onTrailers(headers))
  stream.on('end', () => hearing?.onStreamEnd())
  stream.on('close', () => hearing?.onClose())
  stream.on('error', (error) => hearing?.onError(error))
  return () => {
    hearing = undefined
  }
}
