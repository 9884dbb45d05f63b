import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { SvcError } from '@svc/errors'
import { endConnection } from '@svc/http-reader'
import { toStatus } from './errors.ts'
import type { ScannedFormat } from './filter/scanned-paths.ts'

/** A reply that the proxy makes itself. */
export interface Refusal {
  readonly status: number
  readonly headers: readonly string[]
  readonly body: Buffer
}

/** Types that clients know by name, in all formats. */
const NAMED_TYPES: ReadonlySet<string> = new Set(['pii_blocked', 'pii_ner_unavailable'])

/** Members beside `error` in a body; the correlation id comes with every refusal. */
export interface RefusalFields {
  readonly correlationId: string
  readonly fields?: Readonly<Record<string, unknown>> | undefined
}

/** Writes a refusal in the format of the request's path; the compatible format for other paths. */
export function createRefusal(error: SvcError, format: ScannedFormat | undefined, extra: RefusalFields): Refusal {
  const status = toStatus(error)
  const type = findType(error, status, format)
  const inner = createInner({ type, message: error.message }, status, format)
  const outer = format === 'messages' ? { type: 'error', error: inner } : { error: inner }
  const body = Buffer.from(JSON.stringify({ ...outer, correlation_id: extra.correlationId, ...extra.fields }))
  const headers = ['content-type', 'application/json', 'content-length', String(body.length)]
  headers.push('x-correlation-id', extra.correlationId)
  if (error.retryAfterMs !== undefined) headers.push('retry-after', String(Math.ceil(error.retryAfterMs / 1000)))
  return { status, headers, body }
}

function createInner(
  named: { readonly type: string; readonly message: string },
  status: number,
  format: ScannedFormat | undefined,
): object {
  if (format === 'messages') return named
  return format === 'responses' ? { ...named, code: '', param: '' } : { ...named, code: status, param: null }
}

function findType(error: SvcError, status: number, format: ScannedFormat | undefined): string {
  if (NAMED_TYPES.has(error.code)) return error.code
  if (status < 500) return format === 'responses' ? 'invalid_request' : 'invalid_request_error'
  return format === 'messages' ? 'api_error' : 'server_error'
}

/** Sends a refusal as the last bytes of a connection. */
export function endWithRefusal(duplex: Duplex, { status, headers, body }: Refusal): void {
  // The server of `node:http` over TCP: its connections are sockets.
  const socket = duplex as Socket
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`]
  for (let index = 0; index < headers.length; index += 2) lines.push(`${headers[index]}: ${headers[index + 1]}`)
  endConnection(socket, `${lines.join('\r\n')}\r\nconnection: close\r\n\r\n${body.toString('latin1')}`)
}
