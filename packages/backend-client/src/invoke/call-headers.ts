import type { OutgoingHttpHeaders } from 'node:http2'
import { formatTimeout } from './grpc-timeout.ts'
import { ACCEPTED_ENCODINGS } from './inflate.ts'

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
