import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
  sensitiveHeaders,
} from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { invalidRequest } from '../errors.ts'
import { keepEndToEnd, type RawHeaders, toHttp2Headers } from '../headers.ts'
import type { ReplyListener, UpstreamExchange, UpstreamRequest } from './upstream.ts'

/** For downloads over long distances. */
const WINDOW_BYTES = 1024 * 1024
const MAX_INFORMATION = 100
/** Never stored in the tables of header compression. */
const SECRET = ['authorization', 'x-api-key', 'api-key', 'cookie']

/** Begins HTTP/2 on a TLS connection. */
export function openSession(socket: TLSSocket): ClientHttp2Session {
  const session = connect('https://upstream.invalid', {
    createConnection: () => socket,
    settings: { enablePush: false, initialWindowSize: WINDOW_BYTES },
    maxSessionMemory: 32,
  })
  // Every stream reports the failure of its session.
  session.on('error', () => {})
  session.setLocalWindowSize(4 * WINDOW_BYTES)
  return session
}

/** @throws {SvcError} for a head that HTTP/2 cannot express */
export function startOver(
  session: ClientHttp2Session,
  request: UpstreamRequest,
  listener: ReplyListener,
): UpstreamExchange {
  const stream = open(session, request)
  const trailers: string[] = []
  let outgoingTrailers: RawHeaders = []
  let hasReply = false
  let seen = 0
  const fail = (error: unknown): void => {
    if (hasReply) return
    hasReply = true
    const wasRefused = stream.rstCode === constants.NGHTTP2_REFUSED_STREAM
    listener.fail(error, wasRefused)
  }
  stream.on('headers', (headers: StatusHeaders, _flags: number, raw?: unknown) => {
    seen += 1
    if (seen > MAX_INFORMATION) stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM)
    else listener.information(readHead(headers, raw))
  })
  stream.on('response', (headers: StatusHeaders, _flags: number, raw?: unknown) => {
    hasReply = true
    listener.reply(readHead(headers, raw), { stream, trailers: () => trailers })
  })
  stream.on('trailers', (_headers: IncomingHttpHeaders, _flags: number, raw?: unknown) =>
    trailers.push(...keepEndToEnd(toRaw(raw))),
  )
  stream.on('wantTrailers', () => stream.sendTrailers(toHttp2Headers(outgoingTrailers)))
  stream.on('error', fail)
  stream.once('close', () => {
    if (!hasReply) fail(new Error('closed'))
  })
  return {
    protocol: 'h2',
    stream,
    setTrailers(given) {
      outgoingTrailers = given
    },
    abort: () => stream.close(constants.NGHTTP2_CANCEL),
  }
}

function open(session: ClientHttp2Session, request: UpstreamRequest): ClientHttp2Stream {
  const { method, target, authority, headers, hasBody } = request
  const converted = toHttp2Headers(headers)
  try {
    return session.request(
      {
        ':method': method,
        ':scheme': 'https',
        ':authority': authority,
        ':path': target,
        ...converted,
        [sensitiveHeaders]: SECRET.filter((name) => name in converted),
      },
      { endStream: !hasBody, waitForTrailers: hasBody },
    )
  } catch (error) {
    // A session that goes away is tried again on a new connection; anything else is wrong with the headers.
    if (isGoingAway(error)) throw error
    throw invalidRequest('the request cannot be sent over HTTP/2', 'invalid_request_head', error)
  }
}

/** Whether a request failed because its session accepts no more. */
export function isGoingAway(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^ERR_HTTP2_(GOAWAY|INVALID)_SESSION$/.test(String(error.code))
}

type StatusHeaders = IncomingHttpHeaders & IncomingHttpStatusHeader

function readHead(headers: StatusHeaders, raw: unknown) {
  return { status: headers[':status'] ?? 0, statusText: undefined, headers: keepEndToEnd(toRaw(raw)) }
}

/** The last argument of these events, which the declared types leave out. */
function toRaw(raw: unknown): RawHeaders {
  return Array.isArray(raw) ? raw : []
}
