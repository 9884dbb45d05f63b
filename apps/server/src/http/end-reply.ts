import { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { LINGER_BYTES, LINGER_MS } from '@svc/http-reader'
import { type ServerReply, type ServerRequest, toBodyStream } from './messages.ts'

/**
 * Ends a reply whose head is written. Node closes a connection with the end of a reply, and a client that still sends its
 * body then never reads the reply (threats IN-1). So the reply leaves at once, and its end waits for the rest of the body,
 * which is dropped for {@link LINGER_MS} and {@link LINGER_BYTES} at most. The reader of plain requests does the same on its
 * own connections.
 */
export function endReply(
  { incoming, outgoing }: { readonly incoming: ServerRequest; readonly outgoing: ServerReply },
  data?: Uint8Array,
): void {
  if (!(incoming instanceof IncomingMessage) || !isUnderWay(incoming)) {
    outgoing.end(data)
    return
  }
  outgoing.flushHeaders?.()
  if (data !== undefined) outgoing.write(data)
  dropRest(toBodyStream(incoming), (isWhole) => {
    if (!isWhole) outgoing.once('finish', () => incoming.destroy())
    outgoing.end()
  })
}

/** Whether a part of the body is still to come. */
function isUnderWay({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Reads and drops the rest of a body. @param done called once, with whether the whole body has come */
function dropRest(body: Readable, done: (isWhole: boolean) => void): void {
  let dropped = 0
  const settle = (isWhole: boolean): void => {
    clearTimeout(timer)
    body.off('data', onData).off('end', onEnd).off('close', onClose)
    done(isWhole)
  }
  const onData = (chunk: Uint8Array): void => {
    dropped += chunk.length
    if (dropped > LINGER_BYTES) settle(false)
  }
  const onEnd = (): void => settle(true)
  const onClose = (): void => settle(body.readableEnded)
  const timer = setTimeout(onClose, LINGER_MS)
  body.on('data', onData).on('end', onEnd).on('close', onClose)
  if (body.closed || body.readableEnded) onClose()
  else body.resume()
}
