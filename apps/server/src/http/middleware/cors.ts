import type { ServerReply, ServerRequest } from '../messages.ts'

/** The pages that may use the API. */
export interface CorsPolicy {
  /** Pages that may read replies: those of `any` origin, of an exact `list`, or the server's `own`. Never with credentials. */
  readonly mode: 'any' | 'list' | 'own'
  readonly origins: ReadonlySet<string>
  /**
   * Whether these pages may also change something without a credential in a header. The operator must have named them: by
   * a list, or by `*` where there are no accounts whose cookies they could use.
   */
  readonly mayAct: boolean
}

/** Headers that pages may read beside the ones that they may always read. */
const EXPOSED = 'X-Correlation-ID, x-request-id, request-id, Retry-After, Served-Model, Failover, Mcp-Session-Id'
const METHODS = 'GET,HEAD,PUT,PATCH,POST,DELETE'

/**
 * The policy for the current settings: an exact list or `*` where the operator gave one, any origin when auth is
 * configured, else only pages of the server itself. Other pages of this machine are pages of others: any program, and
 * any site under development, can serve one.
 */
export function corsPolicy(options: { allowOrigins: string; authConfigured: boolean }): CorsPolicy {
  const { authConfigured } = options
  const origins = options.allowOrigins
    .split(',')
    .map((origin) => origin.trim())
    .filter((origin) => origin !== '')
  if (origins.includes('*')) return { mode: 'any', origins: new Set(), mayAct: !authConfigured }
  if (origins.length > 0) return { mode: 'list', origins: new Set(origins.map(toOrigin)), mayAct: true }
  return { mode: authConfigured ? 'any' : 'own', origins: new Set(), mayAct: false }
}

/** An entry of the list as browsers write it: `http://Localhost:3000/` is `http://localhost:3000`. */
function toOrigin(entry: string): string {
  const origin = URL.canParse(entry) ? new URL(entry).origin : 'null'
  return origin === 'null' ? entry : origin
}

/** Whether the operator allows pages of this origin beside the server's own. */
export function isListedOrigin(origin: string, { mode, origins }: CorsPolicy): boolean {
  return mode === 'any' || origins.has(origin)
}

/** Whether a page comes from a host. Browsers write both in one form, so that no other spelling has to be understood. */
export function isOwnOrigin(origin: string, host: string | undefined): boolean {
  const name = host?.toLowerCase()
  return name !== undefined && (origin === `http://${name}` || origin === `https://${name}`)
}

/** Writes the CORS headers of a reply and tells whether the request was a preflight, which needs nothing further. */
export function applyCors(incoming: ServerRequest, outgoing: ServerReply, policy: CorsPolicy): void {
  const { origin } = incoming.headers
  if (origin === undefined) return
  if (policy.mode !== 'any') outgoing.setHeader('Vary', 'Origin')
  if (!isListedOrigin(origin, policy) && !isOwnOrigin(origin, incoming.headers.host)) return
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
