import type { IncomingHttpHeaders } from 'node:http'

/** Allowed request headers; all others are dropped. Credentials are separate. */
const REQUEST_HEADERS =
  /^(accept|accept-(charset|encoding|language)|content-type|range|if-range|if-none-match|if-modified-since|mcp-[a-z-]+|last-event-id)$/

/**
 * Request headers that never go on where a client's own headers do: those of the connection, credentials, what names the
 * page that asked, and what this client sets itself.
 */
const KEPT_BACK =
  /^(host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|content-length|accept-encoding|origin|referer|authorization|cookie|x-api-key|xi-api-key|proxy-.*|sec-.*)$/
/** Request headers that proxies before this server add: the way of the request, and who signed in, often with a token. */
const ADDED_BY_PROXIES =
  /^(forwarded|via|x-forwarded-.*|x-real-ip|true-client-ip|x-client-ip|x-cluster-client-ip|fastly-client-ip|cf-.*|remote-.*|x-remote-.*|x-amzn-(oidc|mtls)-.*|x-amzn-trace-id|x-goog-(iap|authenticated-user)-.*|x-auth-request-.*|x-authentik-.*|x-ms-(client-principal|token)-?.*|x-webauth-.*|x-pomerium-.*|x-vouch-.*|tailscale-.*)$/

/** Reply headers about the connection, and headers that callers of this client must not act on. */
const DROPPED_REPLY_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'set-cookie',
  'set-cookie2',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Input for the headers of a request. */
export interface RequestHeaderOptions {
  /** The caller's headers, names in any case. */
  readonly given: Readonly<Record<string, string | undefined>>
  /** Whether all of them are allowed but credentials and those of the connection. @default false */
  readonly passesAll?: boolean | undefined
  readonly userAgent: string
  /** Whether encoded content is wanted. */
  readonly decode: boolean
  readonly authorization?: string | undefined
}

/** Gives the headers of a request, without `host`: the allowed ones, and our own. */
export function toRequestHeaders(options: RequestHeaderOptions): Record<string, string> {
  const entries = Object.entries(options.given).map(([name, value]) => [name.toLowerCase(), value] as const)
  const ofConnection = new Set(
    entries.flatMap(([name, value = '']) => (name === 'connection' ? value.toLowerCase().split(/\s*,\s*/) : [])),
  )
  const isAllowed = (name: string): boolean =>
    REQUEST_HEADERS.test(name) ||
    (options.passesAll === true && !KEPT_BACK.test(name) && !ADDED_BY_PROXIES.test(name) && !ofConnection.has(name))
  const given = entries.filter(([name, value]) => value !== undefined && isAllowed(name))
  return {
    accept: '*/*',
    'accept-encoding': 'identity',
    'user-agent': options.userAgent,
    ...Object.fromEntries(given),
    ...(options.decode ? { 'accept-encoding': 'gzip, deflate, br' } : {}),
    ...(options.authorization === undefined ? {} : { authorization: options.authorization }),
  }
}

/**
 * Gives the headers of a reply as plain values, with repeated ones joined. Leaves out cookies and headers of the
 * connection and, when the content has been decoded, headers of the encoded form.
 */
export function toReplyHeaders(
  headers: IncomingHttpHeaders,
  { isDecoded }: { readonly isDecoded: boolean },
): Readonly<Record<string, string>> {
  const kept: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || DROPPED_REPLY_HEADERS.has(name)) continue
    if (isDecoded && (name === 'content-encoding' || name === 'content-length')) continue
    kept[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return Object.freeze(kept)
}
