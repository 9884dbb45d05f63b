import type { OutgoingHttpHeaders } from 'node:http2'
import { SvcError } from '@svc/errors'
import { ACCEPTED_ENCODINGS } from './inflate.ts'

const NAME = /^[0-9a-z_.-]+$/i
const VISIBLE_ASCII = /^[ -~]*$/
/** Names that belong to the connection, to the body or to gRPC itself. */
const RESERVED =
  /^(?:grpc-.*|.*-bin|connection|content-length|host|http2-settings|keep-alive|proxy-connection|te|transfer-encoding|upgrade)$/i

/**
 * Checks the metadata of a call: names of gRPC, values of visible ASCII.
 *
 * @throws `backend_metadata` (invalid_request) with the name that cannot be sent
 */
export function checkMetadata(metadata: Readonly<Record<string, string>> | undefined): void {
  if (metadata === undefined) return
  for (const name of Object.keys(metadata)) {
    const isSendable = NAME.test(name) && !RESERVED.test(name) && VISIBLE_ASCII.test(metadata[name] ?? '')
    if (isSendable) continue
    const shown = JSON.stringify(name.slice(0, 100))
    throw new SvcError('invalid_request', `metadata ${shown} cannot be sent to a backend`, { code: 'backend_metadata' })
  }
}

/** The parts of a call's headers. */
export interface CallHeaders {
  readonly path: string
  readonly metadata: Readonly<Record<string, string>> | undefined
  readonly token: string | undefined
  /** Time that is left, in milliseconds; Infinity for a call without a deadline. */
  readonly timeoutMs: number
}

/**
 * The headers of a call. The token wins over a caller's own `authorization`. Names of metadata are the same in every case,
 * and the last of two wins.
 */
export function toHeaders({ path, metadata, token, timeoutMs }: CallHeaders): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {
    ...(metadata && lowerNames(metadata)),
    ':method': 'POST',
    ':path': path,
    te: 'trailers',
    'content-type': 'application/grpc',
    'grpc-accept-encoding': ACCEPTED_ENCODINGS,
    'user-agent': 'grpc-node-svc/1',
  }
  const timeout = formatTimeout(timeoutMs)
  if (timeout !== undefined) headers['grpc-timeout'] = timeout
  if (token !== undefined) headers.authorization = `Bearer ${token}`
  return headers
}

function lowerNames(metadata: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name.toLowerCase(), value]))
}

/** Most digits of the header's number. */
const LIMIT = 1e8
const UNITS: ReadonlyArray<readonly [string, number]> = [
  ['m', 1],
  ['S', 1000],
  ['M', 60_000],
  ['H', 3_600_000],
]

/** The value of the header `grpc-timeout`, rounded up; undefined for a time that the header cannot express. */
export function formatTimeout(milliseconds: number): string | undefined {
  for (const [unit, factor] of UNITS) {
    const amount = Math.ceil(Math.max(0, milliseconds) / factor)
    if (amount < LIMIT) return `${amount}${unit}`
  }
  return undefined
}
