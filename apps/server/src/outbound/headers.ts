import type { IncomingHttpHeaders } from 'node:http'

/** Allowed request headers; all others are dropped. Credentials are separate. */
const REQUEST_HEADERS =
  /^(accept|accept-(charset|encoding|language)|content-type|range|if-range|if-none-match|if-modified-since|mcp-[a-z-]+|last-event-id)$/

/** Reply headers about the connection, and those that callers of this client must not act on. */
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
  readonly userAgent: string
  /** Whether encoded content is wanted. */
  readonly decode: boolean
  readonly authorization?: string | undefined
}

/** Gives the headers of a request, without `host`: the allowed ones, and our own. */
export function toRequestHeaders(options: RequestHeaderOptions): Record<string, string> {
  const given = Object.entries(options.given).flatMap(([name, value]) => {
    const lower = name.toLowerCase()
    return value !== undefined && REQUEST_HEADERS.test(lower) ? [[lower, value] as const] : []
  })
  return {
    accept: '*/*',
    'accept-encoding': 'identity',
    ...Object.fromEntries(given),
    'user-agent': options.userAgent,
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
