import type { Authentication } from './authentication.ts'
import type { Credential } from './credentials.ts'
import type { CallOptions, Clock } from './ports/clock.ts'
import type { ApiKey, ApiKeyStore, FoundSession, SessionStore } from './ports/credentials.ts'
import type { QuotaStore } from './ports/usage.ts'
import type { User } from './ports/users.ts'
import { LEGACY_PRINCIPAL, toKeyPrincipal, toSessionPrincipal } from './principal.ts'
import type { SharedKeys } from './shared-keys.ts'
import type { TokenHasher } from './token-hasher.ts'

/** Dependencies of {@link createCredentialLookUp}. */
export interface CredentialLookUpOptions {
  readonly sessions: SessionStore
  readonly apiKeys: ApiKeyStore
  readonly quotas: Pick<QuotaStore, 'listRules'>
  readonly hasher: TokenHasher
  readonly sharedKeys: SharedKeys
  readonly clock: Pick<Clock, 'now'>
  /** Whether accounts are in use; without them only shared keys count. */
  readonly hasAccounts: boolean
}

/** Finds the callers of credentials. */
export interface CredentialLookUp {
  /** The caller of a credential that the stores or the shared keys know. */
  find(credential: Credential, options: CallOptions): Promise<Authentication | undefined>
  /** The caller of a shared key. */
  findShared(credential: Credential): Authentication | undefined
  /** The caller of a session whose value may have changed meanwhile. */
  findSession(id: string, credential: Credential, options: CallOptions): Promise<Authentication | undefined>
  /** The caller of a user key. */
  findKey(id: string, credential: Credential, options: CallOptions): Promise<Authentication | undefined>
}

const ROTATION_AGE_MS = 3_600_000
const SESSION_VALUE = /^[0-9a-f]{64}$/
/** A user key: the prefix and 256 bits. */
const API_KEY_VALUE = /^svc-[0-9a-f]{64}$/

/** Whether a value has the form of the values in the stores. */
export function isStorable({ value }: Credential): boolean {
  return SESSION_VALUE.test(value) || API_KEY_VALUE.test(value)
}

/** Looks credentials up in the stores, then among the shared keys. */
export function createCredentialLookUp(options: CredentialLookUpOptions): CredentialLookUp {
  const { sessions, apiKeys, quotas, hasher, sharedKeys, clock, hasAccounts } = options

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

  function findShared(credential: Credential): Authentication | undefined {
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

  return {
    find: async (credential, call) => (await findStored(credential, call)) ?? findShared(credential),
    findShared,
    findSession: async (id, credential, call) =>
      toSessionAuthentication(await sessions.findById(id, call), credential, call),
    findKey: async (id, credential, call) => toKeyAuthentication(await apiKeys.findById(id, call), credential, call),
  }
}

function isAlive(user: User, expiresAt: number | undefined, now: number): boolean {
  return user.status === 'active' && (expiresAt === undefined || expiresAt > now)
}
