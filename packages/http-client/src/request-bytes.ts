import { SvcError } from '@svc/errors'
import type { Header, UpstreamRequest } from './upstream.ts'
import type { ForwardProxy } from './way-out/forward-proxy.ts'

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const FORBIDDEN_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/
/** Headers that only this client sets. */
const OWN: ReadonlySet<string> = new Set(['host', 'content-length', 'connection', 'transfer-encoding', 'expect', 'te'])

/** The request line and the headers that are the same for every request to a URL. */
const prefixes = new WeakMap<URL, { readonly href: string; readonly line: string }>()

/**
 * The head of a request, the empty line included, as Latin-1.
 *
 * @param proxy that the request is sent to instead of its upstream; it asks for the whole URL
 * @throws {SvcError} `internal` for a forbidden header, or for a value with a line break
 */
export function writeRequestHead({ method, url, headers, body }: UpstreamRequest, proxy?: ForwardProxy): string {
  let head = `${method} ${proxy === undefined ? '' : url.origin}${toTarget(url)}`
  if (proxy?.authorization !== undefined) head += `proxy-authorization: ${proxy.authorization}\r\n`
  for (const header of headers) head += toField(header)
  // A proxy that knows only the usual spelling would add a second length, which upstreams refuse.
  const lengthName = proxy === undefined ? 'content-length' : 'Content-Length'
  if (body !== undefined) head += `${lengthName}: ${body.length}\r\n`
  else if (method === 'POST' || method === 'PUT') head += `${lengthName}: 0\r\n`
  return `${head}\r\n`
}

function toTarget(url: URL): string {
  const known = prefixes.get(url)
  // A URL can be changed; its text cannot.
  if (known !== undefined && known.href === url.href) return known.line
  const line = `${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\n`
  prefixes.set(url, { href: url.href, line })
  return line
}

function toField([name, value]: Header): string {
  if (!NAME.test(name) || OWN.has(name.toLowerCase()) || FORBIDDEN_IN_VALUE.test(value)) {
    throw new SvcError('internal', `the header ${JSON.stringify(name)} cannot be sent`, { code: 'invalid_header' })
  }
  return `${name}: ${value}\r\n`
}
