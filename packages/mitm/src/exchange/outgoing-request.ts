import type { ClientRequest } from '../client/request.ts'
import type { Scan } from '../filter/scan-request.ts'
import { keepEndToEnd, listValues, type RawHeaders, removeHeaders } from '../headers.ts'
import { countHop } from '../hops.ts'
import type { FilterVerdict, ReplyRestorer } from '../ports.ts'
import type { UpstreamRequest } from '../upstream/upstream.ts'
import { splitTarget } from './request-head.ts'

/** A request as it goes to the host. */
export interface OutgoingRequest {
  readonly head: UpstreamRequest
  /** The whole body, or `stream` for that of the client as it comes. */
  readonly body: Uint8Array | 'stream' | undefined
  /** Restores values in the reply. */
  readonly restorer: ReplyRestorer | undefined
}

/** A verdict that lets a request pass. */
export type PassVerdict = Extract<FilterVerdict, { readonly blocked: false }>

const HOST_HEADER: ReadonlySet<string> = new Set(['host'])
/** The headers that tell the body of a request apart from the one that was scanned and goes out. */
const OF_THE_OLD_BODY: ReadonlySet<string> = new Set([
  'content-length',
  'content-encoding',
  'content-md5',
  'content-digest',
  'digest',
  'repr-digest',
  'trailer',
  'expect',
])
const OF_THE_OLD_LENGTH: ReadonlySet<string> = new Set(['content-length', 'trailer', 'expect'])
const ACCEPTED_CODINGS: ReadonlySet<string> = new Set(['accept-encoding'])

/**
 * Makes a request that goes out as it came.
 *
 * @param authority of the connection; for a request that names no host
 */
export function forwardUnread(request: ClientRequest, authority: string): OutgoingRequest {
  const headers = keepEndToEnd(request.headers, HOST_HEADER)
  return {
    head: makeHead(request, { authority, headers, hasBody: request.hasBody }),
    body: request.hasBody ? 'stream' : undefined,
    restorer: undefined,
  }
}

/**
 * Makes a request with the body that a filter returned.
 *
 * @param authority of the connection; for a request that names no host
 */
export function forwardScanned(
  request: ClientRequest,
  authority: string,
  { body, restorer, scanned }: Pick<PassVerdict, 'body' | 'restorer'> & Pick<Scan, 'scanned'>,
): OutgoingRequest {
  const isSame = body === scanned && listValues(request.headers, 'content-encoding').length === 0
  const all = keepEndToEnd(request.headers, HOST_HEADER)
  const headers = removeHeaders(all, isSame ? OF_THE_OLD_LENGTH : OF_THE_OLD_BODY)
  headers.push('content-length', String(body.length))
  const accepting =
    restorer === undefined ? headers : [...removeHeaders(headers, ACCEPTED_CODINGS), 'accept-encoding', 'identity']
  return { head: makeHead(request, { authority, headers: accepting, hasBody: body.length > 0 }), body, restorer }
}

interface HeadParts {
  readonly authority: string
  readonly headers: RawHeaders
  readonly hasBody: boolean
}

function makeHead(request: ClientRequest, { authority, headers, hasBody }: HeadParts): UpstreamRequest {
  return {
    method: request.method.toUpperCase() === 'POST' ? 'POST' : request.method,
    target: splitTarget(request.target).path,
    authority: request.authorities[0] ?? authority,
    headers: countHop(headers),
    hasBody,
  }
}
