import type { Authentication } from './authentication.ts'
import type { Credential } from './credentials.ts'
import type { CallOptions, Clock } from './ports/clock.ts'
import type { ApiKey, ApiKeyStore, FoundKey, FoundSession, SessionStore } from './ports/credentials.ts'
import type { GroupStore } from './ports/groups.ts'
import type { QuotaStore } from './ports/usage.ts'
import type { User } from './ports/users.ts'
import {
  type AccountRights,
  LEGACY_PRINCIPAL,
  type Principal,
  toKeyPrincipal,
  toServicePrincipal,
  toSessionPrincipal,
} from './principal.ts'
import type { SharedKeys } from './shared-keys.ts'
import type { TokenHasher } from './token-hasher.ts'

/** Dependencies of {@link createCredentialLookUp}. */
export interface CredentialLookUpOptions {
  readonly sessions: SessionStore
  readonly apiKeys: ApiKeyStore
  readonly quotas: Pick<QuotaStore, 'listRules'>
  /** @default there are no groups */
  readonly groups?: Pick<GroupStore, 'listByUser'> | undefined
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
  /** The caller of a key: of the one value that is presented, or of any for a credential that stands for the key. */
  findKey(id: string, credential: Credential, options: CallOptions): Promise<Authentication | undefined>
}

const NO_RIGHTS: AccountRights = { quotas: [], groups: [] }
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
  const { sessions, apiKeys, quotas, groups, hasher, sharedKeys, clock, hasAccounts } = options

  async function readRights(user: User, call: CallOptions): Promise<AccountRights> {
    const [rules, own] = await Promise.all([
      user.role === 'admin' ? [] : quotas.listRules(user.id, call),
      groups?.listByUser(user.id, call) ?? [],
    ])
    return { quotas: rules, groups: own }
  }

  async function toPrincipal({ key, user }: FoundKey, call: CallOptions): Promise<Principal | undefined> {
    // Only the key of a service is without an account.
    if (user === undefined) return key.userId === undefined ? toServicePrincipal(key) : undefined
    return user.status === 'active' ? toKeyPrincipal(key, user, await readRights(user, call)) : undefined
  }

  async function toKeyAuthentication(
    found: FoundKey | undefined,
    credential: Credential,
    call: CallOptions,
  ): Promise<Authentication | undefined> {
    if (found === undefined || !hasAccounts) return undefined
    const { key, isCurrent } = found
    const expiresAt = isCurrent ? key.expiresAt : earlier(key.expiresAt, key.previousUntil)
    if (!isInUse(key, clock.now()) || hasEnded(expiresAt, clock.now())) return undefined
    const principal = await toPrincipal(found, call)
    return principal && { principal, credential, isRotationDue: false, expiresAt }
  }

  async function toSessionAuthentication(
    found: FoundSession | undefined,
    credential: Credential,
    call: CallOptions,
  ): Promise<Authentication | undefined> {
    if (found === undefined || !isSessionAlive(found)) return undefined
    const { session, user, apiKey } = found
    const principal = toSessionPrincipal(found, user === undefined ? NO_RIGHTS : await readRights(user, call))
    const isRotationDue =
      credential.carrier === 'session-cookie' && found.isCurrent && clock.now() - session.rotatedAt >= ROTATION_AGE_MS
    const expiresAt = earlier(session.expiresAt, apiKey && endOfEarlierSessions(apiKey, session.createdAt))
    return { principal, credential, isRotationDue, expiresAt }
  }

  function isSessionAlive({ session, user, apiKey }: FoundSession): boolean {
    const now = clock.now()
    if (session.expiresAt <= now) return false
    if (session.sharedKeyHash !== undefined)
      return sharedKeys.hasHash(session.sharedKeyHash, (key) => hasher.hash('shared-key', key))
    if (user?.status !== 'active' || !hasAccounts) return false
    if (session.apiKeyId === undefined) return true
    // A session that another value of the key has begun ends with that value.
    return (
      apiKey !== undefined && isInUse(apiKey, now) && !hasEnded(endOfEarlierSessions(apiKey, session.createdAt), now)
    )
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
    async findKey(id, credential, call) {
      // The key may have another value meanwhile.
      const found = API_KEY_VALUE.test(credential.value)
        ? await apiKeys.findByHash(hasher.hash('api-key', credential.value), call)
        : await apiKeys.findById(id, call)
      return toKeyAuthentication(found?.key.id === id ? found : undefined, credential, call)
    },
  }
}

const hasEnded = (time: number | undefined, now: number): boolean => time !== undefined && time <= now

const isInUse = ({ block, expiresAt }: ApiKey, now: number): boolean => block === undefined && !hasEnded(expiresAt, now)

function earlier(left: number | undefined, right: number | undefined): number | undefined {
  if (left === undefined || right === undefined) return left ?? right
  return Math.min(left, right)
}

/** When the sessions end that the value before has begun; undefined for a session of the present value. */
function endOfEarlierSessions({ rotatedAt, previousUntil }: ApiKey, createdAt: number): number | undefined {
  return rotatedAt === undefined || createdAt > rotatedAt ? undefined : previousUntil
}
