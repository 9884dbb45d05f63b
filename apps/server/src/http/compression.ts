import { promisify } from 'node:util'
import { endReply } from './end-reply.ts'
import type { ServerReply, ServerRequest } from './messages.ts'

/** When replies are compressed (§8). */
export interface CompressionPolicy {
  readonly enabled: boolean
  /** Bodies from this many bytes on. */
  readonly minLength: number
}

const COMPRESSIBLE =
  /^(?:text\/(?!event-stream)|application\/(?:json|javascript|yaml|xml|manifest\+json)|image\/svg\+xml)/

/** Whether a body of this type and size is sent compressed to this client. */
function shouldCompress(
  incoming: ServerRequest,
  reply: { readonly contentType: string; readonly sizeBytes: number },
  policy: CompressionPolicy,
): boolean {
  if (!policy.enabled || reply.sizeBytes < policy.minLength || !COMPRESSIBLE.test(reply.contentType)) return false
  return acceptsGzip(incoming.headers['accept-encoding'])
}

function acceptsGzip(header: string | string[] | undefined): boolean {
  const text = Array.isArray(header) ? header.join(',') : (header ?? '')
  return text.split(',').some((entry) => {
    const [coding = '', ...parameters] = entry.trim().toLowerCase().split(';')
    const refused = parameters.some((parameter) => /^\s*q=0(?:\.0*)?\s*$/.test(parameter))
    return (coding === 'gzip' || coding === '*') && !refused
  })
}

/**
 * Sends a whole body in one piece, gzipped where it pays. The one way small replies leave the server.
 *
 * @param reply status, media type, body and further headers; `Content-Length` is set here
 */
export async function sendBody(
  call: { readonly incoming: ServerRequest; readonly outgoing: ServerReply },
  reply: {
    status: number
    contentType: string
    body: Uint8Array
    headers?: Readonly<Record<string, string>> | undefined
  },
  policy: CompressionPolicy,
): Promise<void> {
  const { outgoing, incoming } = call
  if (outgoing.headersSent || outgoing.destroyed) return
  let { body } = reply
  for (const [name, value] of Object.entries(reply.headers ?? {})) outgoing.setHeader(name, value)
  if (COMPRESSIBLE.test(reply.contentType)) outgoing.appendHeader('Vary', 'Accept-Encoding')
  if (
    !outgoing.hasHeader('Content-Encoding') &&
    shouldCompress(incoming, { contentType: reply.contentType, sizeBytes: body.length }, policy)
  ) {
    const { gzip } = await import('node:zlib')
    body = await promisify(gzip)(body)
    outgoing.setHeader('Content-Encoding', 'gzip')
  }
  if (outgoing.destroyed) return
  outgoing.writeHead(reply.status, { 'Content-Type': reply.contentType, 'Content-Length': body.length })
  endReply(call, incoming.method === 'HEAD' ? undefined : body)
}
