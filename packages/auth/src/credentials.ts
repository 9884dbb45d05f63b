import { checkArgument } from '@svc/errors'

/** The place of a credential in a request (§5.1). */
export type CredentialCarrier = 'bearer' | 'x-api-key' | 'xi-api-key' | 'session-cookie' | 'token-cookie'

/** A credential as it was presented. */
export interface Credential {
  readonly carrier: CredentialCarrier
  readonly value: string
}

/** The headers of a request, names in lower case, as `node:http` and Hono's `c.req.header()` give them. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** Longer values are not credentials. */
const MAX_LENGTH = 4096
/** Cookies of one name that are looked at. */
const MAX_COOKIES = 32

/** The first value of a header; undefined for a value that is not a text. */
function readSingle(value: unknown): string | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value
  return typeof first === 'string' ? first : undefined
}

/**
 * The values of the cookies of a name, each once, at most 32. A browser sends several when another program of the same
 * host uses the name too, and nothing says which program set a value.
 */
export function readCookies(
  { cookie }: { readonly cookie?: string | readonly string[] | undefined },
  name: string,
): readonly string[] {
  const values = new Set<string>()
  for (const part of readSingle(cookie)?.split(';') ?? []) {
    const separator = part.indexOf('=')
    if (separator <= 0 || part.slice(0, separator).trim() !== name) continue
    values.add(part.slice(separator + 1).trim())
    if (values.size === MAX_COOKIES) break
  }
  return [...values]
}

/**
 * `Bearer <key>` with the scheme in any case, or a bare key as some clients send it. A scheme without a key is nothing.
 */
function readAuthorization(header: string | undefined): string | undefined {
  const words = header?.trim() ?? ''
  const blank = words.indexOf(' ')
  if (blank < 0) return words.toLowerCase() === 'bearer' ? undefined : words
  if (words.slice(0, blank).toLowerCase() !== 'bearer') return undefined
  const rest = words.slice(blank).trimStart()
  const end = rest.indexOf(' ')
  return end < 0 ? rest : rest.slice(0, end)
}

/** What the key of a browser follows in the list of subprotocols: a page can set no header of a WebSocket. */
const KEY_PROTOCOLS = ['openai-insecure-api-key.', 'svc-insecure-api-key.']

/** The key in the list of subprotocols of a WebSocket. */
function readProtocolKey(header: string | undefined): string | undefined {
  for (const protocol of header?.split(',', MAX_COOKIES) ?? []) {
    const name = protocol.trim()
    const prefix = KEY_PROTOCOLS.find((start) => name.startsWith(start))
    if (prefix !== undefined) return name.slice(prefix.length)
  }
  return undefined
}

function toCredential(carrier: CredentialCarrier, value: string | undefined): Credential | undefined {
  return value === undefined || value.trim() === '' || value.length > MAX_LENGTH ? undefined : { carrier, value }
}

/**
 * The credentials of a request, in the order in which they are tried. The first header with a credential decides: the
 * cookies of a request with such a header are not read. A WebSocket of a browser has its key among the subprotocols.
 * Without a header, sessions go before `token` cookies.
 */
export function extractCredentials(headers: RequestHeaders): readonly Credential[] {
  checkArgument(typeof headers === 'object' && headers !== null, 'extractCredentials: headers', 'an object', headers)
  const header =
    toCredential('bearer', readAuthorization(readSingle(headers.authorization))) ??
    toCredential('x-api-key', readSingle(headers['x-api-key'])) ??
    toCredential('xi-api-key', readSingle(headers['xi-api-key'])) ??
    toCredential('bearer', readProtocolKey(readSingle(headers['sec-websocket-protocol'])))
  if (header !== undefined) return [header]
  if (headers.cookie === undefined) return []
  const read = (carrier: CredentialCarrier, name: string) =>
    readCookies(headers, name).map((value) => toCredential(carrier, value))
  return [...read('session-cookie', 'session'), ...read('token-cookie', 'token')].filter(
    (credential) => credential !== undefined,
  )
}

/** Whether a browser sends a credential by itself, also for pages of others. */
export function isCookie({ carrier }: Credential): boolean {
  return carrier === 'session-cookie' || carrier === 'token-cookie'
}
