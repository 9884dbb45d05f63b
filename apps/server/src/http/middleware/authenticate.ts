import { hash, timingSafeEqual } from 'node:crypto'
import { LEGACY_PRINCIPAL, LOCAL_PRINCIPAL, type Principal } from '../../principal.ts'
import type { ServerRequest } from '../messages.ts'

/** A credential as presented, in the order of §5.1. */
export type CredentialCarrier = 'bearer' | 'x-api-key' | 'xi-api-key' | 'token-cookie'

export interface Credential {
  readonly carrier: CredentialCarrier
  readonly value: string
}

function cookieValue(header: string | undefined, name: string): string | undefined {
  for (const part of header?.split(';') ?? []) {
    const separator = part.indexOf('=')
    if (separator > 0 && part.slice(0, separator).trim() === name) return part.slice(separator + 1).trim()
  }
  return undefined
}

/** `Bearer <key>` with the scheme in any case, or a bare key as some clients send it. */
function authorizationValue(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  const words = header.trim()
  const blank = words.indexOf(' ')
  if (blank < 0) return words === '' ? undefined : words
  if (words.slice(0, blank).toLowerCase() !== 'bearer') return undefined
  const rest = words.slice(blank).trimStart()
  const end = rest.indexOf(' ')
  return end < 0 ? rest : rest.slice(0, end)
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}

/** The one credential of a request: the first carrier present decides (headers, then cookies). */
export function extractCredential(incoming: ServerRequest): Credential | undefined {
  const { headers } = incoming
  return (
    toCredential('bearer', authorizationValue(headers.authorization)) ??
    toCredential('x-api-key', single(headers['x-api-key'])) ??
    toCredential('xi-api-key', single(headers['xi-api-key'])) ??
    toCredential('token-cookie', cookieValue(headers.cookie, 'token'))
  )
}

function toCredential(carrier: CredentialCarrier, value: string | undefined): Credential | undefined {
  return value === undefined || value === '' ? undefined : { carrier, value }
}

const digest = (value: string): Buffer => hash('sha256', value, 'buffer')

/** Finds out who is calling. Accounts and sessions join here; today the shared keys of §2.4. */
export interface Authenticator {
  /** Whether any credential is asked for at all (§1: without auth nothing is restricted). */
  readonly configured: boolean
  /**
   * The caller, or undefined for missing and wrong credentials alike. At once where the credentials are known, else
   * after they have been looked up.
   *
   * @throws {SvcError} `unavailable` while credentials cannot be looked up: no verdict on who is calling
   */
  authenticate(incoming: ServerRequest): Principal | undefined | Promise<Principal | undefined>
}

/**
 * The shared-key authenticator. Keys may change while the server runs: `keys` is asked on every change only.
 * Comparison takes the same time for every key and visits all of them (threats AU-5).
 */
export function createLegacyKeyAuthenticator(initial: readonly string[]): Authenticator & {
  authenticate(incoming: ServerRequest): Principal | undefined
  replace(keys: readonly string[]): void
} {
  let digests = initial.map(digest)
  /** Keys that were right, so that a client's next request is not hashed again. Wrong ones are never kept. */
  let accepted = new Set<string>()
  return {
    get configured() {
      return digests.length > 0
    },
    replace(keys) {
      digests = keys.map(digest)
      accepted = new Set()
    },
    authenticate(incoming) {
      if (digests.length === 0) return LOCAL_PRINCIPAL
      const credential = extractCredential(incoming)
      if (credential === undefined) return undefined
      if (accepted.has(credential.value)) return LEGACY_PRINCIPAL
      const presented = digest(credential.value)
      let matches = 0
      for (const key of digests) matches += timingSafeEqual(key, presented) ? 1 : 0
      if (matches === 0) return undefined
      // As many as there are keys: each is accepted in one form only.
      accepted.add(credential.value)
      return LEGACY_PRINCIPAL
    },
  }
}
