import { ROUTE_GROUPS } from './access/access.ts'
import { checkModelExists } from './check-model.ts'
import { checkName, checkNames } from './check-text.ts'
import { parseDuration } from './duration.ts'
import { AuthError, invalidValue, missing } from './errors.ts'
import type { CallOptions, Clock } from './ports/clock.ts'
import type { ApiKey, ApiKeyStore, KeyScopes } from './ports/credentials.ts'
import type { Page, Role } from './ports/users.ts'
import type { Principal } from './principal.ts'
import type { Revocations } from './revocations.ts'
import { createId, createToken, type TokenHasher } from './token-hasher.ts'

/** Options of {@link createApiKeys}. */
export interface ApiKeysOptions {
  readonly store: ApiKeyStore
  readonly hasher: TokenHasher
  readonly revocations: Revocations
  readonly clock: Pick<Clock, 'now'>
  /** Lifetime of keys that are made without an expiry, milliseconds. @default for ever */
  readonly defaultLifetimeMs?: number | undefined
  /** Keys of one account. @default 1000 */
  readonly maxKeys?: number | undefined
  /** Whether there is a model of a name, for scopes. @default there is one of every name */
  readonly hasModel?: ((name: string) => boolean) | undefined
}

/** The fields of a new key. They come from a request and are checked. */
export interface ApiKeyDraft {
  readonly name: unknown
  /** Such as `30d`, `1y` or `720h`. */
  readonly expiresIn?: unknown
  /** RFC 3339. */
  readonly expiresAt?: unknown
  /** Route groups and models that the key is for. @default all */
  readonly scopes?: { readonly routes?: unknown; readonly models?: unknown } | undefined
}

/** Makes, lists and revokes users' API keys (§2.3). */
export interface ApiKeys {
  /**
   * Makes a key for the account of a session. The value is in the answer and nowhere else.
   *
   * @throws {AuthError} `forbidden` without a session of an account, or with one that has the limits of a key;
   *   `invalid_request`; `conflict` when the account has too many keys
   */
  create(
    principal: Principal,
    draft: ApiKeyDraft,
    options: CallOptions,
  ): Promise<{ readonly key: ApiKey; readonly value: string }>
  /** Makes a key for an account, at the command line. */
  createFor(
    owner: { readonly id: string; readonly role: Role },
    draft: ApiKeyDraft,
    options: CallOptions,
  ): Promise<{ readonly key: ApiKey; readonly value: string }>
  /** Newest first. */
  list(userId: string, page: Page, options: CallOptions): Promise<readonly ApiKey[]>
  /** @throws {AuthError} `not_found`, also for a key of another account */
  revoke(key: { readonly id: string; readonly userId: string }, options: CallOptions): Promise<void>
}

const VALUE_PREFIX = 'svc-'
const SHOWN_LENGTH = VALUE_PREFIX.length + 8
const MAX_KEYS = 1000
const MAX_NAME_LENGTH = 200
const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

function readExpiry({ expiresAt, expiresIn }: ApiKeyDraft, now: number): number | undefined {
  if (isGiven(expiresAt) && isGiven(expiresIn)) throw invalidValue('give expiresIn or expiresAt, not both')
  if (isGiven(expiresAt)) {
    const time = typeof expiresAt === 'string' && RFC_3339.test(expiresAt) ? Date.parse(expiresAt) : Number.NaN
    if (Number.isNaN(time)) throw invalidValue('invalid expiresAt format, use RFC3339')
    if (time <= now) throw invalidValue('expiresAt is in the past')
    return time
  }
  if (!isGiven(expiresIn)) return undefined
  const duration = typeof expiresIn === 'string' ? parseDuration(expiresIn) : undefined
  if (duration === undefined) throw invalidValue('invalid expiresIn format')
  return now + duration
}

const isScope = (name: string): boolean => name === 'routes' || name === 'models'

function readScopes({ scopes }: ApiKeyDraft, { hasModel }: Pick<ApiKeysOptions, 'hasModel'>): KeyScopes {
  if (scopes === undefined || scopes === null) return {}
  // A misspelled list would not limit the key at all.
  const isKnown = typeof scopes === 'object' && !Array.isArray(scopes) && Object.keys(scopes).every(isScope)
  if (!isKnown) throw invalidValue('scopes must be an object with the lists routes and models')
  const routes = scopes.routes === undefined ? undefined : checkNames(scopes.routes, 'scopes.routes')
  const models = scopes.models === undefined ? undefined : checkNames(scopes.models, 'scopes.models')
  const unknown = routes?.find((group) => !ROUTE_GROUPS.includes(group))
  if (unknown !== undefined)
    throw invalidValue(`scopes.routes: there is no group ${JSON.stringify(unknown)}; known: ${ROUTE_GROUPS.join(', ')}`)
  for (const model of models ?? []) checkModelExists(model, { hasModel, field: 'scopes.models' })
  return { ...(routes === undefined ? {} : { routes }), ...(models === undefined ? {} : { models }) }
}

/** Users' API keys: `svc-` and 64 hex digits, of which the store has only hashes. */
export function createApiKeys(options: ApiKeysOptions): ApiKeys {
  const { store, hasher, revocations, clock, defaultLifetimeMs, maxKeys = MAX_KEYS } = options

  const createFor: ApiKeys['createFor'] = async (owner, draft, { signal }) => {
    const [name, now] = [checkName(draft.name, { name: 'name', maxLength: MAX_NAME_LENGTH }), clock.now()]
    const lifetime = defaultLifetimeMs === undefined ? undefined : now + defaultLifetimeMs
    const value = `${VALUE_PREFIX}${createToken()}`
    const key: ApiKey = {
      id: createId(),
      userId: owner.id,
      name,
      prefix: value.slice(0, SHOWN_LENGTH),
      role: owner.role,
      scopes: readScopes(draft, options),
      createdAt: now,
      expiresAt: readExpiry(draft, now) ?? lifetime,
      lastUsedAt: undefined,
    }
    const isCreated = await store.create({ ...key, hash: hasher.hash('api-key', value) }, { signal, maxKeys })
    if (!isCreated)
      throw new AuthError('conflict', `an account has at most ${maxKeys} API keys`, { code: 'too_many_keys' })
    return { key, value }
  }

  return {
    createFor,
    async create(principal, draft, call) {
      const { kind, via, id, role, scopes } = principal
      if (kind !== 'user' || via !== 'session' || scopes !== undefined || role === 'none')
        throw new AuthError('forbidden', 'API keys are made with a session of your account', {
          code: 'session_required',
        })
      return createFor({ id, role }, draft, call)
    },
    list: (userId, page, call) => store.listByUser(userId, page, call),
    async revoke(key, call) {
      const isRemoved = await store.remove(key, call)
      if (!isRemoved) throw missing('API key not found')
      revocations.publish({ kind: 'api-key', apiKeyId: key.id })
    },
  }
}
