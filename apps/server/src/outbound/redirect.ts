import type { IncomingMessage } from 'node:http'
import { readPort } from './target.ts'

const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Gives the target of a redirect: `invalid` for an unreadable one, undefined for any other reply. */
export function readRedirect(message: IncomingMessage, url: URL): URL | 'invalid' | undefined {
  if (!REDIRECT_STATUSES.has(message.statusCode ?? 0)) return undefined
  const { location } = message.headers
  return location !== undefined && URL.canParse(location, url.href) ? new URL(location, url) : 'invalid'
}

/**
 * Whether a redirect stays at the operator's address: the same host and port, or its default HTTPS port from its
 * default HTTP port. The redirecting server chose any other address.
 */
export function staysWithin(from: URL, to: URL): boolean {
  if (from.hostname !== to.hostname) return false
  if (from.protocol === to.protocol) return readPort(from) === readPort(to)
  return from.protocol === 'http:' && readPort(from) === '80' && readPort(to) === '443'
}
