import { hash } from 'node:crypto'
import { checkArgument, SvcError } from '@svc/errors'
import type { Authentication } from './authentication.ts'
import { type Credential, extractCredentials, type RequestHeaders } from './credentials.ts'
import type { LastUse } from './last-use.ts'
import type { CallOptions, Clock } from './ports/clock.ts'
import type { ApiKey, ApiKeyStore, FoundSession, SessionStore } from './ports/credentials.ts'
import type { QuotaStore } from './ports/usage.ts'
import type { User } from './ports/users.ts'
import { createLocalPrincipal, LEGACY_PRINCIPAL, toKeyPrincipal, toSessionPrincipal } from './principal.ts'
import type { Revocations } from './revocations.ts'
import type { SharedKeys } from './shared-keys.ts'
import type { TokenHasher } from './token-hasher.ts'
import { createVerifiedCache } from './verified-cache.ts'

/** What {@link createAuthenticator} needs. */
export interface AuthenticatorOptions {
  readonly sessions: SessionStore
  readonly apiKeys: ApiKeyStore
  readonly quotas: Pick<QuotaStore, 'listRules'>
  readonly hasher: TokenHasher
  readonly sharedKeys: SharedKeys
  readonly revocations: Revocations
  readonly lastUse: LastUse
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  /** Whether accounts are in use; without them only shared keys count. */
  readonly hasAccounts: boolean
  /** Id of the caller where no auth is configured. @default local */
  readonly localId?: string | undefined
  /** How long a verified credential is served without a look-up, milliseconds. @default 1000 */
  readonly freshMs?: number | undefined
  /**
   * How long a verified credential goes on to be served while the stores are away, milliseconds.
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
   * The caller; undefined for missing and wrong credentials alike. At once for a credential that was verified less than
   * a second ago, for shared keys and for what no store is needed for.
   *
   * @throws {SvcError} `unavailable` while the stores are away: no verdict on who is calling
   */
  authenticate(headers: RequestHeaders): Authentication | undefined | Promise<Authentication | undefined>
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
const ROTATION_AGE_MS = 3_600_000
const LOOK_UP_TIMEOUT_MS = 10_000
const SESSION_VALUE = /^[0-9a-f]{64}$/
/** A user key: the prefix and 256 bits. */
const API_KEY_VALUE = /^svc-[0-9a-f]{64}$/

/** Finds out who is calling: sessions and user keys first, then shared keys (§5.2). */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  checkArgument(
    typeof options?.revocations?.subscribe === 'function',
    'createAuthenticator: options',
    'its parts',
    options,
  )
  const { sessions, apiKeys, quotas, hasher, sharedKeys, lastUse, clock, hasAccounts } = options
  const { freshMs = FRESH_MS, outageGraceMs = 0 } = options
  const cache = createVerifiedCache({ clock, freshMs, revocations: options.revocations })
  const local: Authentication = {
    principal: createLocalPrincipal(options.localId),
    credential: undefined,
    isRotationDue: false,
    expiresAt: undefined,
  }

  async function readRules(user: User, call: CallOptions) {
    return user.role === 'admin' ? [] : quotas.listRules(user.id, call)
  }

  async function toKeyAuthentication(
    found: { readonly key: ApiKey; readonly user: User } | undefined,
    credential: Credential,
    call: CallOptions,
  ): Promise<Authentication | undefined> {
    if (found === undefined || !hasAccounts || !isAlive(found.user, found.key.expiresAt, clock.now())) return undefined
    const principal = toKeyPrincipal(found.key, found.user, await readRules(found.user, call))
    return { principal, credential, isRotationDue: false, expiresAt: found.key.expiresAt }
  }

  async function toSessionAuthentication(
    found: FoundSession | undefined,
    credential: Credential,
    call: CallOptions,
  ): Promise<Authentication | undefined> {
    if (found === undefined || !isSessionAlive(found)) return undefined
    const { session, user } = found
    const principal = toSessionPrincipal(found, user === undefined ? [] : await readRules(user, call))
    const isRotationDue =
      credential.carrier === 'session-cookie' && found.isCurrent && clock.now() - session.rotatedAt >= ROTATION_AGE_MS
    return { principal, credential, isRotationDue, expiresAt: session.expiresAt }
  }

  function isSessionAlive({ session, user, apiKey }: FoundSession): boolean {
    const now = clock.now()
    if (session.expiresAt <= now) return false
    if (session.sharedKeyHash !== undefined)
      return sharedKeys.hasHash(session.sharedKeyHash, (key) => hasher.hash('shared-key', key))
    if (user === undefined || !hasAccounts || !isAlive(user, undefined, now)) return false
    return session.apiKeyId === undefined || (apiKey !== undefined && isAlive(user, apiKey.expiresAt, now))
  }

  function toSharedAuthentication(credential: Credential): Authentication | undefined {
    if (credential.carrier === 'session-cookie' || !sharedKeys.includes(credential.value)) return undefined
    return { principal: LEGACY_PRINCIPAL, credential, isRotationDue: false, expiresAt: undefined }
  }

  async function findStored(credential: Credential, call: CallOptions): Promise<Authentication | undefined> {
    const { carrier, value } = credential
    if (SESSION_VALUE.test(value) && (carrier === 'bearer' || carrier === 'session-cookie')) {
      const found = await sessions.findByHash(hasher.hash('session', value), call)
      const isValid = found !== undefined && (found.isCurrent || found.previousUntil > clock.now())
      return toSessionAuthentication(isValid ? found : undefined, credential, call)
    }
    if (!API_KEY_VALUE.test(value) || carrier === 'session-cookie') return undefined
    return toKeyAuthentication(await apiKeys.findByHash(hasher.hash('api-key', value), call), credential, call)
  }

  const verify = async (credential: Credential, call: CallOptions): Promise<Authentication | undefined> =>
    (await findStored(credential, call)) ?? toSharedAuthentication(credential)

  /** Whether a value can be one that the stores know. */
  const isStorable = ({ value }: Credential): boolean => SESSION_VALUE.test(value) || API_KEY_VALUE.test(value)

  const noted = (found: Authentication | undefined): Authentication | undefined => {
    if (found?.principal.via === 'api-key' && found.principal.apiKey !== undefined)
      lastUse.note(found.principal.apiKey.id)
    return found
  }

  function findCached(credential: Credential): Authentication | undefined | Promise<Authentication | undefined> {
    if (!isStorable(credential)) return toSharedAuthentication(credential)
    const key = hash('sha256', `${credential.carrier}:${credential.value}`, 'base64')
    const found = cache.findOrLookUp(key, () => verify(credential, { signal: AbortSignal.timeout(LOOK_UP_TIMEOUT_MS) }))
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
    authenticate(headers) {
      if (!hasAccounts && sharedKeys.count === 0) return local
      const [first, ...others] = extractCredentials(headers)
      if (first === undefined) return undefined
      const found = findCached(first)
      if (others.length === 0 || (found !== undefined && !(found instanceof Promise))) return found
      return Promise.resolve(found).then((authentication) => authentication ?? findFirst(others))
    },
    verify,
    async recheck(authentication, call) {
      const { principal, credential, expiresAt } = authentication
      if (expiresAt !== undefined && expiresAt <= clock.now()) return undefined
      if (credential === undefined) return hasAccounts || sharedKeys.count > 0 ? undefined : authentication
      if (principal.sessionId !== undefined)
        return toSessionAuthentication(await sessions.findById(principal.sessionId, call), credential, call)
      if (principal.apiKey !== undefined)
        return toKeyAuthentication(await apiKeys.findById(principal.apiKey.id, call), credential, call)
      return toSharedAuthentication(credential)
    },
    close: () => cache.close(),
  }
}

function isAlive(user: User, expiresAt: number | undefined, now: number): boolean {
  return user.status === 'active' && (expiresAt === undefined || expiresAt > now)
}

function isOutage(error: unknown): boolean {
  return SvcError.is(error) && (error.kind === 'unavailable' || error.kind === 'timeout')
}
