import {
  constants,
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { LINGER_MS } from '@svc/http-reader'
import { listValues, type RawHeaders, toHttp2Headers } from '../headers.ts'
import type { Limits } from '../limits/limits.ts'
import type { ClientReply, ClientRequest } from './request.ts'

/** Most requests that a client may cancel, less the requests that it lets finish. */
const MAX_CANCELLED = 200
const MAX_HEADERS = 256

/** Reads HTTP/2 from a TLS connection; `onRequest` is called for each stream. */
export function readHttp2(
  socket: TLSSocket,
  limits: Limits,
  onRequest: (request: ClientRequest) => void,
): ServerHttp2Session {
  const session = performServerHandshake(socket, {
    maxHeaderListPairs: MAX_HEADERS,
    maxSessionMemory: 16,
    maxSessionInvalidFrames: 100,
    maxOutstandingPings: 10,
    maxSettings: 32,
    settings: {
      enablePush: false,
      enableConnectProtocol: true,
      maxConcurrentStreams: limits.streams,
      maxHeaderListSize: limits.headerBytes,
    },
  })
  let cancelled = 0
  let running = 0
  /** A session that is closed waits without limit for its client to close the connection. */
  const cutLater = (): void => {
    if (!session.closed || running > 0) return
    const timer = setTimeout(() => socket.destroy(), LINGER_MS)
    socket.once('close', () => clearTimeout(timer))
  }
  session.on('error', () => {})
  session.setTimeout(limits.idleMs, () => {
    session.close()
    cutLater()
  })
  session.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, flags: number, raw?: unknown) => {
    running += 1
    stream.on('error', () => {})
    stream.once('close', () => {
      running -= 1
      cutLater()
      const isCancelled = stream.rstCode === constants.NGHTTP2_CANCEL || stream.aborted
      cancelled = isCancelled ? cancelled + 1 : Math.max(0, cancelled - 1)
      if (cancelled > MAX_CANCELLED) session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM)
    })
    const hasBody = (flags & constants.NGHTTP2_FLAG_END_STREAM) === 0
    onRequest(toClientRequest(stream, { headers, raw: Array.isArray(raw) ? raw : [], hasBody }))
  })
  return session
}

interface StreamHead {
  readonly headers: IncomingHttpHeaders
  readonly raw: RawHeaders
  readonly hasBody: boolean
}

function toClientRequest(stream: ServerHttp2Stream, { headers, raw, hasBody }: StreamHead): ClientRequest {
  const trailers: string[] = []
  // The last argument holds the trailers as they came; the declared type leaves it out.
  stream.once('trailers', (_headers, _flags, rawTrailers?: unknown) => {
    if (Array.isArray(rawTrailers)) trailers.push(...rawTrailers)
  })
  const authority = headers[':authority']
  const protocol = headers[':protocol']
  return {
    protocol: 'h2',
    method: headers[':method'] ?? '',
    target: headers[':path'] ?? '',
    authorities: [...(authority === undefined ? [] : [authority]), ...listValues(raw, 'host')],
    headers: raw,
    hasBody,
    body: stream,
    expectsContinue: headers.expect?.toLowerCase() === '100-continue',
    upgrade: typeof protocol === 'string' ? protocol.toLowerCase() : undefined,
    trailers: () => trailers,
    reply: toReply(stream),
  }
}

function toReply(stream: ServerHttp2Stream): ClientReply {
  let trailers: RawHeaders = []
  return {
    get isStarted() {
      return stream.headersSent
    },
    stream,
    inform({ status, headers }) {
      if (status !== 101 && !stream.headersSent && !stream.destroyed) {
        stream.additionalHeaders({ ':status': status, ...toHttp2Headers(headers) })
      }
    },
    start({ status, headers }, hasBody) {
      stream.on('wantTrailers', () => stream.sendTrailers(toHttp2Headers(trailers)))
      stream.respond(
        { ':status': status, ...toHttp2Headers(headers) },
        { endStream: !hasBody, waitForTrailers: hasBody },
      )
    },
    flush() {},
    closeAfterwards() {},
    finish(given) {
      trailers = given
      stream.end()
    },
    switchProtocols: () => stream,
    abort: () => stream.close(constants.NGHTTP2_INTERNAL_ERROR),
    onceClosed(listener) {
      stream.once('close', () => listener(stream.rstCode === constants.NGHTTP2_NO_ERROR && stream.writableFinished))
    },
  }
}
