import { checkArgument } from '@svc/errors'
import { type Accounts, createAccounts } from './accounts/accounts.ts'
import type { AdminEmail } from './accounts/admin-email.ts'
import { createInvites, type Invites } from './accounts/invites.ts'
import { createKnownAddresses, type KnownAddresses } from './accounts/known-addresses.ts'
import { createPasswords, type Passwords } from './accounts/passwords.ts'
import { type ApiKeys, createApiKeys } from './api-keys.ts'
import { type Authenticator, createAuthenticator } from './authenticate.ts'
import { createGroups, type Groups } from './groups/groups.ts'
import { createLastUse, type LastUse } from './last-use.ts'
import type { LimitNotice } from './limits/notices.ts'
import type { CallOptions, Clock, Logger } from './ports/clock.ts'
import type { Stores } from './ports/stores.ts'
import type { RegistrationMode, User } from './ports/users.ts'
import { createQuotas, type Quotas } from './quotas/quotas.ts'
import { createRevocations, type Revocations } from './revocations.ts'
import { createSessions, type Sessions } from './sessions.ts'
import { createSharedKeys, type SharedKeys } from './shared-keys.ts'
import { systemClock } from './system-clock.ts'
import { createTokenHasher, type TokenHasher } from './token-hasher.ts'
import { createUsageRecorder, type UsageRecorder } from './usage/recorder.ts'
import { createUsage, type Usage } from './usage/usage.ts'

/** Options of {@link createAuth}. */
export interface AuthOptions {
  readonly stores: Stores
  /** Secret of the server, at least 32 characters or bytes. Another one invalidates all keys, sessions and invites. */
  readonly secret: string | Uint8Array
  /** Throws while the secret may not be used, as once the stores have another one. @default always usable */
  readonly checkSecret?: (() => void) | undefined
  /** Keys that give full access without an account (§2.4). @default none */
  readonly sharedKeys?: readonly string[] | undefined
  /** Whether accounts are in use. @default true */
  readonly hasAccounts?: boolean | undefined
  /** @default approval */
  readonly registrationMode?: RegistrationMode | undefined
  readonly admin?: AdminEmail | undefined
  /** Called when an account has become an admin by itself: the first one, or the one of the configured address. */
  readonly onNewAdmin?: ((user: User) => void) | undefined
  /** Lifetime of keys that are made without an expiry, milliseconds. @default for ever */
  readonly defaultKeyLifetimeMs?: number | undefined
  /** The name under which an end user is counted, for limits of end users. @default its own */
  readonly nameEndUser?: ((endUser: string) => string) | undefined
  /** Hears when 80 and 100 percent of a limit are used or reserved, once in each window. */
  readonly onLimitNotice?: ((notice: LimitNotice) => void) | undefined
  /** Whether there is a model of a name, for quotas and scopes of keys. @default there is one of every name */
  readonly hasModel?: ((name: string) => boolean) | undefined
  /** Time that a verified credential is served while the stores are away, milliseconds. @default 0 */
  readonly outageGraceMs?: number | undefined
  /** Id of the caller where no auth is configured. @default local */
  readonly localId?: string | undefined
  /** Stores usage. @default a recorder that stores records as they come */
  readonly usageRecorder?: UsageRecorder | undefined
  /** @default the clocks of the machine */
  readonly clock?: Clock | undefined
  readonly logger?: Logger | undefined
}

/** All parts over one set of stores. */
export interface Auth extends AsyncDisposable {
  readonly authenticator: Authenticator
  readonly sessions: Sessions
  readonly apiKeys: ApiKeys
  readonly sharedKeys: SharedKeys
  readonly accounts: Accounts
  readonly invites: Invites
  /** Addresses from which accounts have signed in. */
  readonly knownAddresses: KnownAddresses
  readonly passwords: Passwords
  readonly groups: Groups
  readonly quotas: Quotas
  readonly usage: Usage
  readonly usageRecorder: UsageRecorder
  readonly lastUse: LastUse
  readonly revocations: Revocations
  readonly hasher: TokenHasher
  /** Removes expired and surplus rows, in batches, and writes the noted uses of keys. For a timer. */
  tidy(options: CallOptions): Promise<void>
  /** Writes waiting work and ends. */
  close(): Promise<void>
}

const TIDY_BATCH = 1000
const CLOSE_TIMEOUT_MS = 2000

function guardHasher(hasher: TokenHasher, check: (() => void) | undefined): TokenHasher {
  if (check === undefined) return hasher
  return {
    hash(kind, value) {
      check()
      return hasher.hash(kind, value)
    },
  }
}

/**
 * Builds all parts over one set of stores.
 *
 * @example
 * const auth = createAuth({ stores: createMemoryStores(), secret })
 * const found = await auth.authenticator.authenticate(request.headers)
 */
export function createAuth(options: AuthOptions): Auth {
  const { stores, clock = systemClock, logger, hasAccounts = true, registrationMode: mode = 'approval' } = options ?? {}
  checkArgument(
    typeof stores?.users === 'object',
    'createAuth: stores',
    'the stores of createMemoryStores or others',
    stores,
  )
  const { users, invites, quotas: quotaStore, usage: usageStore } = stores
  const hasher = guardHasher(createTokenHasher(options.secret), options.checkSecret)
  const revocations = createRevocations()
  const sharedKeys = createSharedKeys(options.sharedKeys)
  const lastUse = createLastUse({ store: stores.apiKeys, clock })
  const passwords = createPasswords()
  const usage = createUsage({ store: usageStore, clock })
  const usageRecorder = options.usageRecorder ?? createUsageRecorder({ store: usageStore, clock, logger })
  const quotas = createQuotas({ ...options, store: quotaStore, limits: stores.limits, clock, revocations })
  const knownAddresses = createKnownAddresses({ store: stores.knownAddresses, hasher, clock })
  const authenticator = createAuthenticator({
    ...stores,
    hasher,
    sharedKeys,
    revocations,
    lastUse,
    clock,
    hasAccounts,
    localId: options.localId,
    outageGraceMs: options.outageGraceMs,
  })

  async function tidy(call: CallOptions): Promise<void> {
    await lastUse.flush(call)
    const limits = { now: clock.now(), limit: TIDY_BATCH }
    while ((await stores.sessions.removeExpired(limits, call)) === TIDY_BATCH) call.signal.throwIfAborted()
    while ((await stores.apiKeys.removeExpired(limits, call)) === TIDY_BATCH) call.signal.throwIfAborted()
    while ((await knownAddresses.tidy({ ...call, limit: TIDY_BATCH })) === TIDY_BATCH) call.signal.throwIfAborted()
    await quotas.limits.tidy(call)
    while ((await usage.prune(call)) > 0) call.signal.throwIfAborted()
  }

  async function close(): Promise<void> {
    const call = { signal: AbortSignal.timeout(CLOSE_TIMEOUT_MS) }
    authenticator.close()
    const endings = [quotas.flush(), usageRecorder.close(call), lastUse.flush(call)]
    for (const ending of await Promise.allSettled(endings)) {
      if (ending.status === 'rejected') logger?.warn({ err: ending.reason }, 'what waited could not be written')
    }
  }

  return {
    ...{
      authenticator,
      sharedKeys,
      passwords,
      knownAddresses,
      quotas,
      usage,
      usageRecorder,
      lastUse,
      revocations,
      hasher,
      tidy,
      close,
    },
    sessions: createSessions({ store: stores.sessions, hasher, revocations, clock }),
    apiKeys: createApiKeys({
      store: stores.apiKeys,
      hasher,
      revocations,
      clock,
      defaultLifetimeMs: options.defaultKeyLifetimeMs,
      hasModel: options.hasModel,
    }),
    accounts: createAccounts({
      users,
      invites,
      hasher,
      passwords,
      clock,
      mode,
      revocations,
      admin: options.admin,
      onNewAdmin: options.onNewAdmin,
    }),
    groups: createGroups({ store: stores.groups, users, clock, revocations, hasModel: options.hasModel }),
    invites: createInvites({ store: invites, hasher, clock }),
    [Symbol.asyncDispose]: close,
  }
}
