import { checkArgument } from '@svc/errors'

/** Where a credential was found (§5.1). */
export type CredentialCarrier = 'bearer' | 'x-api-key' | 'xi-api-key' | 'session-cookie' | 'token-cookie'

/** A credential as it was presented. */
export interface Credential {
  readonly carrier: CredentialCarrier
  readonly value: string
}

/** The headers of a request, names in lower case, as `node:http` and Hono's `c.req.header()` give them. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** Longer values are no credentials. */
const MAX_LENGTH = 4096

/** The first value of a header; a value that is no text is none. */
function readSingle(value: unknown): string | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value
  return typeof first === 'string' ? first : undefined
}

/** The value of a cookie of a request: the first one of the name. */
export function readCookie(
  { cookie }: { readonly cookie?: string | readonly string[] | undefined },
  name: string,
): string | undefined {
  for (const part of readSingle(cookie)?.split(';') ?? []) {
    const separator = part.indexOf('=')
    if (separator > 0 && part.slice(0, separator).trim() === name) return part.slice(separator + 1).trim()
  }
  return undefined
}

/** `Bearer <key>` with the scheme in any case, or a bare key as some clients send it. */
function readAuthorization(header: string | undefined): string | undefined {
  const words = header?.trim() ?? ''
  const blank = words.indexOf(' ')
  if (blank < 0) return words
  if (words.slice(0, blank).toLowerCase() !== 'bearer') return undefined
  const rest = words.slice(blank).trimStart()
  const end = rest.indexOf(' ')
  return end < 0 ? rest : rest.slice(0, end)
}

function toCredential(carrier: CredentialCarrier, value: string | undefined): Credential | undefined {
  return value === undefined || value === '' || value.length > MAX_LENGTH ? undefined : { carrier, value }
}

/**
 * The credentials of a request, in the order in which they are tried. The first header that has one decides alone: the
 * cookies of a request with a header are not looked at. Without a header, the session goes before the `token` cookie.
 */
export function extractCredentials(headers: RequestHeaders): readonly Credential[] {
  checkArgument(typeof headers === 'object' && headers !== null, 'extractCredentials: headers', 'an object', headers)
  const header =
    toCredential('bearer', readAuthorization(readSingle(headers.authorization))) ??
    toCredential('x-api-key', readSingle(headers['x-api-key'])) ??
    toCredential('xi-api-key', readSingle(headers['xi-api-key']))
  if (header !== undefined) return [header]
  if (headers.cookie === undefined) return []
  return [
    toCredential('session-cookie', readCookie(headers, 'session')),
    toCredential('token-cookie', readCookie(headers, 'token')),
  ].filter((credential) => credential !== undefined)
}

/** Whether a browser sends a credential by itself, also for pages of others. */
export function isCookie({ carrier }: Credential): boolean {
  return carrier === 'session-cookie' || carrier === 'token-cookie'
}
