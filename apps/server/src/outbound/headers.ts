import type { IncomingHttpHeaders } from 'node:http'

/** Request headers that may be given; every other name is dropped. Credentials have a place of their own. */
const REQUEST_HEADERS =
  /^(accept|accept-(charset|encoding|language)|content-type|range|if-range|if-none-match|if-modified-since|mcp-[a-z-]+|last-event-id)$/

/** Reply headers that speak of the connection, or that nobody behind this client may act on. */
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

/** What goes into the headers of a request. */
export interface RequestHeaderOptions {
  /** What the caller gave, names in any case. */
  readonly given: Readonly<Record<string, string | undefined>>
  readonly userAgent: string
  /** Whether encoded content is wanted. */
  readonly decode: boolean
  readonly authorization?: string | undefined
}

/** The headers of a request, without `host`: those of the list, and our own. */
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
 * The headers of a reply as plain values, repeated ones joined: without cookies and what belongs to the connection, and,
 * when the content has been decoded, without what described the encoded form.
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
