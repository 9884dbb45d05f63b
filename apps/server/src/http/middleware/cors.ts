import type { ServerReply, ServerRequest } from '../messages.ts'
import { hostName, isLoopbackName } from './host.ts'

/** The origins that may read replies. */
export interface CorsPolicy {
  /** `any` origin, an exact `list`, or only pages of this server and of this machine (`local`). Never with credentials. */
  readonly mode: 'any' | 'list' | 'local'
  readonly origins: ReadonlySet<string>
}

/** Headers that pages may read beside those that they always may. */
const EXPOSED = 'X-Correlation-ID, x-request-id, request-id, Retry-After, Served-Model, Failover'
const METHODS = 'GET,HEAD,PUT,PATCH,POST,DELETE'

/**
 * The policy for the current settings: an exact list or `*` where the operator gave one, any origin when auth is
 * configured, else only loopback origins and the server's own.
 */
export function corsPolicy(options: { allowOrigins: string; authConfigured: boolean }): CorsPolicy {
  const origins = options.allowOrigins
    .split(',')
    .map((origin) => origin.trim())
    .filter((origin) => origin !== '')
  if (origins.includes('*')) return { mode: 'any', origins: new Set() }
  if (origins.length > 0) return { mode: 'list', origins: new Set(origins) }
  return { mode: options.authConfigured ? 'any' : 'local', origins: new Set() }
}

/** Whether a page of this origin may use the API. */
export function isAllowedOrigin(origin: string, host: string | undefined, policy: CorsPolicy): boolean {
  if (policy.mode === 'any') return true
  if (policy.mode === 'list') return policy.origins.has(origin)
  if (!URL.canParse(origin)) return false
  const url = new URL(origin)
  return isLoopbackName(hostName(url.host)) || url.host === host
}

/** Writes the CORS headers of a reply and tells whether the request was a preflight, which needs nothing further. */
export function applyCors(incoming: ServerRequest, outgoing: ServerReply, policy: CorsPolicy): void {
  const { origin } = incoming.headers
  if (origin === undefined) return
  if (policy.mode !== 'any') outgoing.setHeader('Vary', 'Origin')
  if (!isAllowedOrigin(origin, incoming.headers.host, policy)) return
  outgoing.setHeader('Access-Control-Allow-Origin', policy.mode === 'any' ? '*' : origin)
  outgoing.setHeader('Access-Control-Expose-Headers', EXPOSED)
}

/** Adds what only the answer to a preflight carries. */
export function applyPreflight(incoming: ServerRequest, outgoing: ServerReply): void {
  outgoing.setHeader('Access-Control-Allow-Methods', METHODS)
  const requested = incoming.headers['access-control-request-headers']
  if (requested !== undefined) outgoing.setHeader('Access-Control-Allow-Headers', requested)
  outgoing.setHeader('Access-Control-Max-Age', '600')
}
