import { type Feature, resolveFeatures } from './access/features.ts'
import { resolveModels } from './groups/rights.ts'
import type { ApiKey, FoundSession, KeyScopes } from './ports/credentials.ts'
import type { Group } from './ports/groups.ts'
import type { QuotaRule, UsageSource } from './ports/usage.ts'
import type { Provider, User } from './ports/users.ts'

/** A caller and its rights. */
export interface Principal {
  /**
   * `service` for a key without an account, `legacy` for a shared key, `local` where nothing is restricted, `anonymous`
   * without valid credentials.
   */
  readonly kind: 'user' | 'service' | 'legacy' | 'local' | 'anonymous'
  readonly id: string
  readonly name: string
  readonly role: 'admin' | 'user' | 'none'
  /** The credential of the caller. */
  readonly via: 'session' | 'api-key' | 'shared-key' | 'none'
  /** The features that are on; undefined means all (admins, shared keys). */
  readonly features: ReadonlySet<Feature> | undefined
  /** The models that may be used; undefined means all. */
  readonly models: ReadonlySet<string> | undefined
  /** The limits of the key in use. */
  readonly scopes: KeyScopes | undefined
  /** Ids of the groups that the caller is in. @default none */
  readonly groups?: readonly string[] | undefined
  /** The names of {@link groups}, in the same order. @default none */
  readonly groupNames?: readonly string[] | undefined
  /** The rules that the caller's requests count under; admins have none. */
  readonly quotas: readonly QuotaRule[]
  /** The key in use, for usage records. */
  readonly apiKey: { readonly id: string; readonly name: string } | undefined
  /** Present for accounts. */
  readonly account: { readonly email: string; readonly provider: Provider; readonly avatarUrl: string } | undefined
  /** Present for sessions. */
  readonly sessionId: string | undefined
}

const NOTHING = {
  features: undefined,
  models: undefined,
  scopes: undefined,
  quotas: [],
  apiKey: undefined,
  account: undefined,
  sessionId: undefined,
} as const

/** A holder of a shared key (§2.4): full admin access, no role separation. */
export const LEGACY_PRINCIPAL: Principal = {
  ...NOTHING,
  kind: 'legacy',
  id: 'legacy-api-key',
  name: 'API Key User',
  role: 'admin',
  via: 'shared-key',
}

/** Nobody: no credentials, or wrong ones, on a public route. */
export const ANONYMOUS_PRINCIPAL: Principal = {
  ...NOTHING,
  kind: 'anonymous',
  id: '',
  name: '',
  role: 'none',
  via: 'none',
}

/** The caller where no auth is configured: an admin (§1). */
export function createLocalPrincipal(id = 'local'): Principal {
  return { ...NOTHING, kind: 'local', id, name: 'Local', role: 'admin', via: 'none' }
}

/** The source under which a caller's requests are noted (§2.6). */
export function toUsageSource(principal: Principal): UsageSource {
  if (principal.kind === 'legacy') return 'legacy'
  return principal.via === 'api-key' ? 'apikey' : 'web'
}

/** What the stores know of the rights of an account, besides the account. */
export interface AccountRights {
  readonly quotas: readonly QuotaRule[]
  readonly groups: readonly Group[]
}

function toRights(user: User, { quotas, groups }: AccountRights): Pick<Principal, 'features' | 'models' | 'quotas'> {
  if (user.role === 'admin') return { features: undefined, models: undefined, quotas: [] }
  const { enabled, models } = resolveModels(user.allowedModels, groups)
  return { features: resolveFeatures(user.features, groups), models: enabled ? new Set(models) : undefined, quotas }
}

function toUserPrincipal(user: User, rights: AccountRights): Omit<Principal, 'via'> {
  const { id, name, role, email, provider, avatarUrl } = user
  const { groups } = rights
  return {
    ...NOTHING,
    ...toRights(user, rights),
    ...(groups.length === 0
      ? {}
      : { groups: groups.map((group) => group.id), groupNames: groups.map((group) => group.name) }),
    kind: 'user',
    id,
    name,
    role,
    account: { email, provider, avatarUrl },
  }
}

/** The principal of an account whose work goes on without a caller, such as files that are indexed after a restart. */
export function toAbsentPrincipal(user: User, rights: AccountRights): Principal {
  return { ...toUserPrincipal(user, rights), via: 'none' }
}

const hasScopes = ({ routes, models, addresses }: KeyScopes): boolean =>
  routes !== undefined || models !== undefined || addresses !== undefined

const toLimits = ({ scopes }: ApiKey): KeyScopes | undefined => (hasScopes(scopes) ? scopes : undefined)

/** The principal of a user key: the owner with the current role, within the limits of the key. */
export function toKeyPrincipal(key: ApiKey, user: User, rights: AccountRights): Principal {
  return {
    ...toUserPrincipal(user, rights),
    via: 'api-key',
    apiKey: { id: key.id, name: key.name },
    scopes: toLimits(key),
  }
}

const SERVICE_ID = 'service:'

/** The id under which the work of a service is noted. */
const toServiceId = (keyId: string): string => `${SERVICE_ID}${keyId}`

/** The key of the id of a service; undefined for the id of anything else. */
export function readServiceId(id: string): string | undefined {
  return id.startsWith(SERVICE_ID) ? id.slice(SERVICE_ID.length) : undefined
}

/** The principal of the key of a service: no account and no admin, every feature and model that the key allows. */
export function toServicePrincipal(key: ApiKey): Principal {
  return {
    ...NOTHING,
    kind: 'service',
    id: toServiceId(key.id),
    name: key.name,
    role: 'user',
    via: 'api-key',
    apiKey: { id: key.id, name: key.name },
    scopes: toLimits(key),
  }
}

/** The principal of a session: its account, within the limits of the key that it was made with, or a shared key. */
export function toSessionPrincipal(found: FoundSession, rights: AccountRights): Principal {
  const { session, user, apiKey } = found
  const base = user === undefined ? LEGACY_PRINCIPAL : toUserPrincipal(user, rights)
  const scopes = apiKey === undefined ? undefined : toLimits(apiKey)
  return { ...base, via: 'session', sessionId: session.id, scopes }
}
