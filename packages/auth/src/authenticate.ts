import { hash } from 'node:crypto'
import { checkArgument, SvcError } from '@svc/errors'
import type { Authentication } from './authentication.ts'
import { type CredentialLookUpOptions, createCredentialLookUp, isStorable } from './credential-look-up.ts'
import { type Credential, extractCredentials, type RequestHeaders } from './credentials.ts'
import type { LastUse } from './last-use.ts'
import type { CallOptions, Clock } from './ports/clock.ts'
import { createLocalPrincipal } from './principal.ts'
import type { Revocations } from './revocations.ts'
import { createVerifiedCache } from './verified-cache.ts'

/** Options of {@link createAuthenticator}. */
export interface AuthenticatorOptions extends CredentialLookUpOptions {
  readonly revocations: Revocations
  readonly lastUse: LastUse
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  /** Id of the caller where no auth is configured. @default local */
  readonly localId?: string | undefined
  /** Time that a verified credential is served without a look-up, milliseconds. @default 1000 */
  readonly freshMs?: number | undefined
  /**
   * Time that a verified credential is served while the stores are away, milliseconds.
   *
   * @default 0, which is not at all
   */
  readonly outageGraceMs?: number | undefined
}

/** Finds out who is calling. */
export interface Authenticator {
  /** Whether credentials are asked for at all (§1). */
  readonly isConfigured: boolean
  /**
   * The caller; undefined for missing and wrong credentials alike. Returns at once for a credential that was verified
   * less than a second ago, for shared keys, and where no store is needed.
   *
   * @param credentials what {@link extractCredentials} found in the headers. @default they are read from the headers
   * @throws {SvcError} `unavailable` while the stores are away: this says nothing about the caller
   */
  authenticate(
    headers: RequestHeaders,
    credentials?: readonly Credential[],
  ): Authentication | undefined | Promise<Authentication | undefined>
  /** The caller of a single credential, such as the token of a login form; always looked up. */
  verify(credential: Credential, options: CallOptions): Promise<Authentication | undefined>
  /**
   * The same caller with the rights of this moment, for connections that stay open; undefined when the session, key or
   * account has ended. A session whose value has changed meanwhile goes on. An expired credential needs no look-up.
   */
  recheck(authentication: Authentication, options: CallOptions): Promise<Authentication | undefined>
  close(): void
}

const FRESH_MS = 1000
const LOOK_UP_TIMEOUT_MS = 10_000

/** Finds out who is calling: sessions and user keys first, then shared keys (§5.2). */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  checkArgument(
    typeof options?.revocations?.subscribe === 'function',
    'createAuthenticator: options',
    'its parts',
    options,
  )
  const { sharedKeys, lastUse, clock, hasAccounts } = options
  const { freshMs = FRESH_MS, outageGraceMs = 0 } = options
  const lookUp = createCredentialLookUp(options)
  const cache = createVerifiedCache({ clock, freshMs, revocations: options.revocations })
  const local: Authentication = {
    principal: createLocalPrincipal(options.localId),
    credential: undefined,
    isRotationDue: false,
    expiresAt: undefined,
  }

  const noted = (found: Authentication | undefined): Authentication | undefined => {
    if (found?.principal.via === 'api-key' && found.principal.apiKey !== undefined)
      lastUse.note(found.principal.apiKey.id)
    return found
  }

  function findCached(credential: Credential): Authentication | undefined | Promise<Authentication | undefined> {
    if (!isStorable(credential)) return lookUp.findShared(credential)
    const key = hash('sha256', `${credential.carrier}:${credential.value}`, 'base64')
    const found = cache.findOrLookUp(key, () =>
      lookUp.find(credential, { signal: AbortSignal.timeout(LOOK_UP_TIMEOUT_MS) }),
    )
    if (!(found instanceof Promise)) return noted(found)
    return found.then(noted, (error: unknown) => {
      const known = outageGraceMs > 0 && isOutage(error) ? cache.findWithin(key, outageGraceMs) : undefined
      if (known === undefined) throw error
      return known
    })
  }

  async function findFirst(credentials: readonly Credential[]): Promise<Authentication | undefined> {
    for (const credential of credentials) {
      const found = await findCached(credential)
      if (found !== undefined) return found
    }
    return undefined
  }

  return {
    get isConfigured() {
      return hasAccounts || sharedKeys.count > 0
    },
    authenticate(headers, credentials) {
      if (!hasAccounts && sharedKeys.count === 0) return local
      const [first, ...others] = credentials ?? extractCredentials(headers)
      if (first === undefined) return undefined
      const found = findCached(first)
      if (others.length === 0 || (found !== undefined && !(found instanceof Promise))) return found
      return Promise.resolve(found).then((authentication) => authentication ?? findFirst(others))
    },
    verify: (credential, call) => lookUp.find(credential, call),
    async recheck(authentication, call) {
      const { principal, credential, expiresAt } = authentication
      if (expiresAt !== undefined && expiresAt <= clock.now()) return undefined
      if (credential === undefined) return hasAccounts || sharedKeys.count > 0 ? undefined : authentication
      if (principal.sessionId !== undefined) return lookUp.findSession(principal.sessionId, credential, call)
      if (principal.apiKey !== undefined) return lookUp.findKey(principal.apiKey.id, credential, call)
      return lookUp.findShared(credential)
    },
    close: () => cache.close(),
  }
}

function isOutage(error: unknown): boolean {
  return SvcError.is(error) && (error.kind === 'unavailable' || error.kind === 'timeout')
}
