/** Names and values in turn, as they came: the form of `rawHeaders`. */
export type RawHeaders = readonly string[]

/** Headers between two neighbours: they say nothing to the other side (RFC 9110, 7.6.1). */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
])

/** Calls back for each header, with its name in lower case. */
export function forEachHeader(headers: RawHeaders, visit: (lower: string, value: string, name: string) => void): void {
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] ?? ''
    visit(name.toLowerCase(), headers[index + 1] ?? '', name)
  }
}

/** Lists the values of a header; its name in lower case. */
export function listValues(headers: RawHeaders, wanted: string): string[] {
  const values: string[] = []
  forEachHeader(headers, (lower, value) => {
    if (lower === wanted) values.push(value)
  })
  return values
}

/**
 * Removes pseudo headers, headers that end at a neighbour, headers that `connection` names, and the given ones.
 *
 * @param without names in lower case
 */
export function keepEndToEnd(headers: RawHeaders, without: ReadonlySet<string> = new Set()): string[] {
  const named = new Set<string>()
  for (const value of listValues(headers, 'connection')) {
    for (const name of value.split(',')) named.add(name.trim().toLowerCase())
  }
  const kept: string[] = []
  forEachHeader(headers, (lower, value, name) => {
    // The sender understands trailers: that holds for both connections.
    if (lower === 'te' && value.trim().toLowerCase() !== 'trailers') return
    if (HOP_BY_HOP.has(lower) || (named.has(lower) && lower !== 'te') || without.has(lower) || lower.startsWith(':'))
      return
    kept.push(name, value)
  })
  return kept
}

/** Removes headers; names in lower case. */
export function removeHeaders(headers: RawHeaders, names: ReadonlySet<string>): string[] {
  const kept: string[] = []
  forEachHeader(headers, (lower, value, name) => {
    if (!names.has(lower)) kept.push(name, value)
  })
  return kept
}

/** Converts headers to the form of `node:http2`: names in lower case, repeated ones as lists. */
export function toHttp2Headers(headers: RawHeaders): Record<string, string | string[]> {
  const result: Record<string, string | string[]> = Object.create(null)
  forEachHeader(headers, (lower, value) => {
    const known = result[lower]
    if (known === undefined) result[lower] = value
    else if (Array.isArray(known)) known.push(value)
    else result[lower] = [known, value]
  })
  return result
}

/** Joins the cookies of an HTTP/2 request, which may come one by one, to the one header of HTTP/1.1. */
export function joinCookies(headers: RawHeaders): RawHeaders {
  const cookies = listValues(headers, 'cookie')
  if (cookies.length < 2) return headers
  return [...removeHeaders(headers, new Set(['cookie'])), 'cookie', cookies.join('; ')]
}
