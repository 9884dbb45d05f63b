import type { IncomingMessage } from 'node:http'
import { SvcError } from '@svc/errors'
import { retryAfterSeconds, toStatus } from '../../http/error-map.ts'
import type { ServerReply } from '../../http/messages.ts'
import type { Logger } from '../../ports.ts'
import type { FileReply } from './reply.ts'

/** Bytes of a refused body that are read, so that its sender sees the refusal. */
const MAX_DISCARDED = 32 * 1024 * 1024
const DISCARD_MS = 15_000

/** Writes a small reply. */
export function writeReply(outgoing: ServerReply, { status, headers = {}, json, text }: FileReply): void {
  const body = json === undefined ? (text === undefined ? '' : `${text}\n`) : JSON.stringify(json)
  const type = json === undefined ? 'text/plain; charset=utf-8' : 'application/json'
  const given: Record<string, string | number> = { 'Content-Length': Buffer.byteLength(body), ...headers }
  outgoing.writeHead(status, body === '' ? given : { 'Content-Type': type, ...given }).end(body)
}

/** Answers a failed request with a line of text; cuts the connection where a reply has begun. */
export function answerError(
  error: unknown,
  { incoming, outgoing, logger }: { incoming: IncomingMessage; outgoing: ServerReply; logger: Logger },
): void {
  const known = SvcError.is(error) ? error : undefined
  discardBody(incoming)
  if (outgoing.headersSent || known?.kind === 'cancelled') {
    if (!outgoing.writableEnded) outgoing.destroy()
    return
  }
  if (known === undefined || known.kind === 'internal') logger.error({ err: error }, 'a file request failed')
  else logger.debug({ code: known.code, method: incoming.method }, 'a file request was refused')
  const retryAfter = known === undefined ? undefined : retryAfterSeconds(known)
  writeReply(outgoing, {
    status: known === undefined ? 500 : toStatus(known),
    text: known?.message ?? 'internal error',
    headers: retryAfter === undefined ? {} : { 'Retry-After': retryAfter },
  })
}

/** Reads a body to nowhere; one that is long, or takes long, is cut off. */
export function discardBody(incoming: IncomingMessage): void {
  if (incoming.complete || incoming.destroyed || incoming.listenerCount('data') > 0) return
  let bytes = 0
  const timer = setTimeout(() => incoming.socket.destroy(), DISCARD_MS).unref()
  incoming
    .on('error', () => undefined)
    .on('end', () => clearTimeout(timer))
    .on('close', () => clearTimeout(timer))
    .on('data', ({ length }: Buffer) => {
      bytes += length
      if (bytes > MAX_DISCARDED) incoming.socket.destroy()
    })
}
