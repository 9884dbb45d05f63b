import { randomUUID } from 'node:crypto'
import type { ClientRequest } from '../client/request.ts'
import { invalidRequest, MitmError, misdirected } from '../errors.ts'
import { listValues, type RawHeaders } from '../headers.ts'
import { checkHops, HOP_HEADER } from '../hops.ts'
import { type HostAndPort, readHostAndPort } from '../hosts/host.ts'

/** The host for which a connection was opened. */
export interface ExpectedHost {
  readonly target: HostAndPort
  /** The target as clients write it. */
  readonly authority: string
  /** Whether the TLS name was that of another host. */
  readonly isMisdirected: boolean
}

const CORRELATION_FORM = /^[\w.:-]{1,128}$/

/**
 * Checks that a request can be read in one way only, and is for the host of its connection.
 *
 * @throws {SvcError} kinds `invalid_request`, `misdirected`, `method_not_allowed` and `loop`
 */
export function checkHead(request: ClientRequest, expected: ExpectedHost): void {
  const { method, authorities, headers, upgrade } = request
  if (authorities.length > 2 || (authorities.length > 1 && request.protocol === 'http/1.1')) {
    throw invalidRequest('the request names its host more than once')
  }
  if (expected.isMisdirected) throw misdirected()
  for (const authority of authorities) if (!isFor(expected, authority)) throw misdirected()
  if (/^CONNECT$/i.test(method) && upgrade === undefined) {
    throw new MitmError('method_not_allowed', 'CONNECT is not possible here', { code: 'method_not_allowed' })
  }
  const { origin, path } = splitTarget(request.target)
  if (origin !== undefined && !isFor(expected, origin)) throw misdirected()
  if (!/^[/*]/.test(path) && upgrade === undefined) throw invalidRequest('the target of the request is not a path')
  const codings = listValues(headers, 'transfer-encoding')
  if (codings.some((coding) => coding.trim().toLowerCase() !== 'chunked')) {
    throw invalidRequest('the transfer coding of the request is not known')
  }
  checkHops(listValues(headers, HOP_HEADER)[0])
}

function isFor({ target, authority: expected }: ExpectedHost, authority: string): boolean {
  if (authority === expected) return true
  const { host, port } = target
  const given = readHostAndPort(authority, port)
  return given !== undefined && given.host === host && given.port === port
}

/** Takes the scheme and the host from a target that begins with them. */
export function splitTarget(target: string): { readonly origin: string | undefined; readonly path: string } {
  const match = /^https?:\/\/(?<origin>[^/?#\\]*)/i.exec(target)
  if (match === null) return { origin: undefined, path: target }
  const rest = target.slice(match[0].length)
  return { origin: match.groups?.origin, path: rest.startsWith('/') ? rest : `/${rest}` }
}

/** Reads the correlation id of the client, or makes one. */
export function readCorrelationId(headers: RawHeaders): string {
  const given = listValues(headers, 'x-correlation-id')[0] ?? listValues(headers, 'x-request-id')[0] ?? ''
  return CORRELATION_FORM.test(given) ? given : randomUUID()
}
