import { constants, type IncomingHttpHeaders } from 'node:http2'
import { GRPC } from './grpc-status.ts'

/** Final status of a call in gRPC. */
export interface CallStatus {
  readonly code: number
  readonly details: string
  /** Text of the trailing metadata, without that of gRPC itself. */
  readonly trailers?: Readonly<Record<string, string>> | undefined
}

const VISIBLE_ASCII = /^[ -~]*$/
const STATUS = /^\d{1,9}$/

/** Statuses for a reply of HTTP without one of gRPC, by the table of the gRPC specification. */
const OF_HTTP: Readonly<Record<number, number>> = {
  400: GRPC.INTERNAL,
  401: GRPC.UNAUTHENTICATED,
  403: GRPC.PERMISSION_DENIED,
  404: GRPC.UNIMPLEMENTED,
  429: GRPC.UNAVAILABLE,
  502: GRPC.UNAVAILABLE,
  503: GRPC.UNAVAILABLE,
  504: GRPC.UNAVAILABLE,
}

/** Statuses for a stream that was reset, by the table of the gRPC specification; any other code is INTERNAL. */
const OF_RESET: Readonly<Record<number, CallStatus>> = {
  [constants.NGHTTP2_REFUSED_STREAM]: { code: GRPC.UNAVAILABLE, details: 'the backend refused the stream' },
  [constants.NGHTTP2_CANCEL]: { code: GRPC.CANCELLED, details: 'the backend cancelled the call' },
  [constants.NGHTTP2_ENHANCE_YOUR_CALM]: {
    code: GRPC.RESOURCE_EXHAUSTED,
    details: 'the backend is out of bandwidth or memory',
  },
  [constants.NGHTTP2_INADEQUATE_SECURITY]: {
    code: GRPC.PERMISSION_DENIED,
    details: 'the backend wants a connection that is better secured',
  },
}

/** The status for a code of HTTP. */
export function readHttpStatus(code: number): CallStatus {
  return { code: OF_HTTP[code] ?? GRPC.UNKNOWN, details: `the backend answered with HTTP status ${code}` }
}

/** The status for a stream that closed with this code before its trailers came. */
export function readReset(code: number): CallStatus {
  const known = OF_RESET[code]
  if (known !== undefined) return known
  // `readStatus` knows a call that was broken off by these words.
  const note = code === constants.NGHTTP2_NO_ERROR ? ' before a status came' : ''
  return { code: GRPC.INTERNAL, details: `Received RST_STREAM with code ${code}${note}` }
}

/**
 * Reads the status in trailers, or in the headers of a reply without messages.
 *
 * @param httpStatus used where the headers have no status of gRPC
 */
export function readTrailers(headers: IncomingHttpHeaders, httpStatus: number): CallStatus {
  const status = headers['grpc-status']
  if (status === undefined) {
    if (httpStatus !== 200) return { ...readHttpStatus(httpStatus), trailers: readMetadata(headers) }
    return { code: GRPC.UNKNOWN, details: 'the backend ended the call without a status' }
  }
  const isNumber = typeof status === 'string' && STATUS.test(status)
  const code = isNumber ? Number(status) : GRPC.UNKNOWN
  const text = headers['grpc-message']
  const details = typeof text === 'string' ? decodePercent(text) : ''
  return {
    code,
    details: isNumber ? details : 'the backend ended the call with a status that is not a number',
    trailers: readMetadata(headers),
  }
}

/** Metadata that a backend added to a status. Drops values that are not visible ASCII: gRPC forbids them. */
function readMetadata(headers: IncomingHttpHeaders): Record<string, string> {
  const metadata: Record<string, string> = {}
  for (const name of Object.keys(headers)) {
    if (name.startsWith(':') || name === 'grpc-status' || name === 'grpc-message' || name.endsWith('-bin')) continue
    const value = headers[name]
    const first = Array.isArray(value) ? value[0] : value
    if (first !== undefined && VISIBLE_ASCII.test(first)) metadata[name] = first
  }
  return metadata
}

/** Undoes percent-encoding. Keeps percent signs before other text. Bytes that are not UTF-8 become U+FFFD. */
export function decodePercent(text: string): string {
  if (!text.includes('%')) return text
  return text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'))
}
