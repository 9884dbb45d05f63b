import { AuthError, missing } from './errors.ts'
import { type ApiKeyDraft, type ApiKeyEdit, type RotationForm, readDraft, readEdit, readGrace } from './key-forms.ts'
import type { CallOptions, Clock } from './ports/clock.ts'
import type { ApiKey, ApiKeyStore, FoundKey, KeyAddress, KeyBlock, KeyFilter } from './ports/credentials.ts'
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
  /** Keys of all services. @default 10,000 */
  readonly maxServiceKeys?: number | undefined
  /** Whether there is a model of a name, for scopes. @default there is one of every name */
  readonly hasModel?: ((name: string) => boolean) | undefined
}

/** A key with its value, which is shown once. */
export interface IssuedKey {
  readonly key: ApiKey
  readonly value: string
}

/** Makes, edits, rotates, lists and revokes API keys (§2.3). */
export interface ApiKeys {
  /**
   * Makes a key for the account of a session. The value is in the answer and nowhere else.
   *
   * @throws {AuthError} `forbidden` without a session of an account, or with one that has the limits of a key;
   *   `invalid_request`; `conflict` when the account has too many keys
   */
  create(principal: Principal, draft: ApiKeyDraft, options: CallOptions): Promise<IssuedKey>
  /**
   * Makes a key for an account, or for a service that has none, in the name of an admin.
   *
   * @param owner undefined for a service
   * @param options.createdBy account of the admin. @default none, as for a command
   * @throws {AuthError} `invalid_request`; `conflict` when the owner has too many keys
   */
  createFor(
    owner: { readonly id: string; readonly role: Role } | undefined,
    draft: ApiKeyDraft,
    options: CallOptions & { readonly createdBy?: string | undefined },
  ): Promise<IssuedKey>
  /** Newest first. */
  list(userId: string, page: Page, options: CallOptions): Promise<readonly ApiKey[]>
  /** The keys of all accounts and services, newest first. */
  listAll(filter: KeyFilter & Page, options: CallOptions): Promise<readonly FoundKey[]>
  /** The key of an id, with its owner; also an expired key. @throws {AuthError} `not_found` */
  find(id: string, options: CallOptions): Promise<FoundKey>
  /**
   * Changes a key of the account of a session. Every server obeys at once: calls under way that need what the key has
   * lost end. Of two changes of one field, the last stands.
   *
   * @throws {AuthError} `forbidden` as {@link create} throws it, and for a key that an admin has blocked; `not_found`,
   *   also for an expired key and a key of another account; `invalid_request`
   */
  edit(principal: Principal, id: string, edit: ApiKeyEdit, options: CallOptions): Promise<ApiKey>
  /** Changes any key, in the name of an admin. @throws {AuthError} `not_found`, `invalid_request` */
  editAny(id: string, edit: ApiKeyEdit, options: CallOptions): Promise<FoundKey>
  /**
   * Gives a key of the account of a session a new value. The present one stays valid for a while, with the sessions that
   * it has begun; the one before it ends.
   *
   * @throws {AuthError} `forbidden` as {@link create} throws it; `not_found`; `invalid_request`; `conflict` when another
   *   caller has given the key a new value meanwhile
   */
  rotate(principal: Principal, id: string, form: RotationForm | undefined, options: CallOptions): Promise<IssuedKey>
  /** Gives any key a new value, in the name of an admin. @throws {AuthError} `not_found`, `invalid_request`, `conflict` */
  rotateAny(id: string, form: RotationForm | undefined, options: CallOptions): Promise<IssuedKey>
  /** @throws {AuthError} `not_found`, also for a key of another account */
  revoke(key: KeyAddress, options: CallOptions): Promise<void>
}

const VALUE_PREFIX = 'svc-'
const SHOWN_LENGTH = VALUE_PREFIX.length + 8
const MAX_KEYS = 1000
const MAX_SERVICE_KEYS = 10_000

const noKey = (): AuthError => missing('API key not found')

/** The account of a caller who may change its keys. @throws {AuthError} `forbidden` */
function requireSession({ kind, via, id, role, scopes }: Principal, message: string) {
  if (kind !== 'user' || via !== 'session' || scopes !== undefined || role === 'none')
    throw new AuthError('forbidden', message, { code: 'session_required' })
  return { id, role }
}

function createValue(hasher: TokenHasher) {
  const value = `${VALUE_PREFIX}${createToken()}`
  return { value, prefix: value.slice(0, SHOWN_LENGTH), hash: hasher.hash('api-key', value) }
}

/** Looks keys up, changes them and gives them new values. */
function createKeyChanges({ store, hasher, revocations, clock, hasModel }: ApiKeysOptions) {
  async function find(id: string, { signal }: CallOptions): Promise<FoundKey> {
    const found = typeof id === 'string' ? await store.findById(id, { signal }) : undefined
    if (found === undefined) throw noKey()
    return found
  }

  /** A key that may be changed. An expired one may be removed at any time. */
  async function findLiving(id: string, call: CallOptions): Promise<FoundKey> {
    const found = await find(id, call)
    const { expiresAt = Number.POSITIVE_INFINITY } = found.key
    if (expiresAt <= clock.now()) throw noKey()
    return found
  }

  async function findOwn(userId: string, id: string, call: CallOptions): Promise<FoundKey> {
    const found = await findLiving(id, call)
    if (found.key.userId !== userId) throw noKey()
    return found
  }

  async function change({ key }: FoundKey, edit: ApiKeyEdit, options: CallOptions & { readonly by: KeyBlock['by'] }) {
    const { by, signal } = options
    const fields = readEdit(edit, { now: clock.now(), hasModel, by })
    const keepsAdminBlock = by === 'owner' && 'block' in fields
    if (keepsAdminBlock && key.block?.by === 'admin')
      throw new AuthError('forbidden', 'an administrator has blocked this API key', { code: 'blocked_by_admin' })
    // An admin may have blocked or removed it since it was read.
    if (!(await store.edit(key, fields, { signal, keepsAdminBlock }))) throw noKey()
    revocations.publish({ kind: 'api-key', apiKeyId: key.id })
    return find(key.id, { signal })
  }

  async function renew({ key }: FoundKey, form: RotationForm | undefined, { signal }: CallOptions): Promise<IssuedKey> {
    const [grace, now] = [readGrace(form), clock.now()]
    const { value, ...to } = createValue(hasher)
    const previousUntil = grace === 0 ? 0 : now + grace
    if (!(await store.rotate(key, { from: key.prefix, to, now, previousUntil }, { signal })))
      throw new AuthError('conflict', 'the API key has changed meanwhile', { code: 'key_changed' })
    revocations.publish({ kind: 'api-key', apiKeyId: key.id })
    return { key: { ...key, prefix: to.prefix, rotatedAt: now, previousUntil }, value }
  }

  return { find, findLiving, findOwn, change, renew }
}

/** API keys of users and services: `svc-` and 64 hex digits, of which the store has only hashes. */
export function createApiKeys(options: ApiKeysOptions): ApiKeys {
  const { store, hasher, revocations, clock, hasModel, defaultLifetimeMs: lifetimeMs } = options
  const { maxKeys = MAX_KEYS, maxServiceKeys = MAX_SERVICE_KEYS } = options
  const { find, findLiving, findOwn, change, renew } = createKeyChanges(options)

  const createFor: ApiKeys['createFor'] = async (owner, draft, { signal, createdBy }) => {
    const now = clock.now()
    const { value, prefix, hash } = createValue(hasher)
    const key: ApiKey = {
      ...readDraft(draft, { now, hasModel, lifetimeMs }),
      id: createId(),
      userId: owner?.id,
      prefix,
      role: owner?.role ?? 'user',
      block: undefined,
      createdBy,
      createdAt: now,
      lastUsedAt: undefined,
      rotatedAt: undefined,
      previousUntil: 0,
    }
    const most = owner === undefined ? maxServiceKeys : maxKeys
    if (await store.create({ ...key, hash }, { signal, maxKeys: most })) return { key, value }
    const message =
      owner === undefined ? `services have at most ${most} API keys` : `an account has at most ${most} API keys`
    throw new AuthError('conflict', message, { code: 'too_many_keys' })
  }

  return {
    createFor,
    find,
    create: async (principal, draft, { signal }) =>
      createFor(requireSession(principal, 'API keys are made with a session of your account'), draft, { signal }),
    list: (userId, page, call) => store.listByUser(userId, page, call),
    listAll: (filter, call) => store.list(filter, call),
    async edit(principal, id, edit, { signal }) {
      const owner = requireSession(principal, 'API keys are changed with a session of your account')
      return (await change(await findOwn(owner.id, id, { signal }), edit, { signal, by: 'owner' })).key
    },
    editAny: async (id, edit, { signal }) => change(await findLiving(id, { signal }), edit, { signal, by: 'admin' }),
    async rotate(principal, id, form, call) {
      const owner = requireSession(principal, 'API keys are changed with a session of your account')
      return renew(await findOwn(owner.id, id, call), form, call)
    },
    rotateAny: async (id, form, call) => renew(await findLiving(id, call), form, call),
    async revoke(key, call) {
      const isRemoved = await store.remove(key, call)
      if (!isRemoved) throw noKey()
      revocations.publish({ kind: 'api-key', apiKeyId: key.id })
    },
  }
}
