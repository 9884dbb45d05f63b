import { type Auth, type AuthOptions, createAuth, createRightsWatch } from '@svc/auth'
import type { LimitNotice } from '@svc/auth/limits'
import type { Stores, User } from '@svc/auth/ports'
import type { Bus } from '../bus/bus.ts'
import type { ServerConfig } from '../config/schema.ts'
import type { Database } from '../db/database.ts'
import type { FileLock } from '../files/file-lock.ts'
import type { Clock, Logger } from '../ports.ts'
import { deriveKey } from '../secret/derive-key.ts'
import { openServerSecret, type ServerSecret } from '../secret/server-secret.ts'
import type { Settings } from '../settings/settings.ts'
import { createEndUserNaming, type EndUserNaming } from '../spend/attribution.ts'
import type { Closers } from './closers.ts'
import { joinRevocations } from './join-revocations.ts'
import { createAccountStores } from './lazy/lazy-stores.ts'
import { openUsage } from './open-usage.ts'

/** Options of {@link openAccounts}. */
export interface AccountsOptions {
  readonly config: ServerConfig
  readonly settings: Pick<Settings, 'legacyKeys'>
  readonly database: Database
  /** Whether there is a model of a name. */
  readonly hasModel: (name: string) => boolean
  /** The lock of the data folder. */
  readonly lock: FileLock
  /** Called when an account has become an admin by itself. */
  readonly onNewAdmin: (user: User) => void
  /** Hears when 80 and 100 percent of a limit are used. */
  readonly onLimitNotice: (notice: LimitNotice) => void
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Logger
}

/** Accounts and the parts that belong to them. */
export interface AccountModule {
  /** Whether accounts are in use; without them only shared keys count. */
  readonly isInUse: boolean
  /** Whether the server has any shared key now. */
  readonly hasSharedKeys: () => boolean
  readonly stores: Stores
  readonly auth: Auth
  /** How end users are stored. */
  readonly endUsers: EndUserNaming
  /** Why the secret of the server may not be used any more; undefined while it may. */
  readonly secretFault: () => string | undefined
  /** Called when an account has become an admin by itself. */
  readonly onNewAdmin: (user: User) => void
  /** Derives a key of 32 bytes from the secret of the server, another one for each purpose. */
  readonly deriveKey: (purpose: string) => Uint8Array
}

/** Whether a configuration turns accounts on (§5.2). */
export function usesAccounts({ authEnabled, codehostClientId, oidcClientId }: ServerConfig): boolean {
  return authEnabled || isGiven(codehostClientId) || isGiven(oidcClientId)
}

function isGiven(value: string | undefined): boolean {
  return value !== undefined && value !== ''
}

/** Longest time that a start waits for the limits. */
const LIMITS_TIMEOUT_MS = 10_000

/** The options of the parts over the stores that a configuration decides. */
export function toAuthOptions(config: ServerConfig, secret: ServerSecret): Omit<AuthOptions, 'stores'> {
  const { authAdminEmail: email = '', adminEmailStrict: isStrict } = config
  return {
    secret: secret.value,
    checkSecret: secret.check,
    hasAccounts: usesAccounts(config),
    registrationMode: config.authRegistrationMode,
    admin: email === '' ? undefined : { email, isStrict },
    defaultKeyLifetimeMs: config.defaultApiKeyExpiryMs,
    outageGraceMs: config.authOutageGraceMs,
  }
}

/** Opens the stores of accounts in the database, and the parts over them. */
export async function openAccounts(options: AccountsOptions, closers: Closers): Promise<AccountModule> {
  const { config, settings, database, hasModel, onNewAdmin, onLimitNotice, lock, bus, clock, log: logger } = options
  const secret = await openServerSecret(config, { database, clock })
  const stores = createAccountStores(database)
  const { recorder, quotas } = await openUsage(
    { dataPath: config.dataPath, lock, database, stores, maxLabelValues: config.maxUsageLabels, clock, logger },
    closers,
  )
  const endUsers = createEndUserNaming(config.endUserNames, () => deriveKey(secret, 'names of end users'))
  const auth = createAuth({
    ...toAuthOptions(config, secret),
    stores: { ...stores, quotas },
    usageRecorder: recorder,
    sharedKeys: settings.legacyKeys(),
    hasModel,
    onNewAdmin,
    onLimitNotice,
    nameEndUser: endUsers.find,
    clock,
    logger,
  })
  closers.push(() => auth.close())
  await auth.quotas.loadLimits({ signal: AbortSignal.timeout(LIMITS_TIMEOUT_MS) }).catch((error: unknown) => {
    logger.warn({ err: error }, 'limits cannot be read yet, the first request reads them')
  })
  closers.push(
    joinRevocations(auth.revocations, { bus, logger }),
    bus.subscribe('settings.changed', ({ keys }) => {
      if (!keys.includes('api_keys')) return
      auth.sharedKeys.replace(settings.legacyKeys())
      auth.revocations.publish({ kind: 'all' })
    }),
  )
  const isInUse = usesAccounts(config)
  if (isInUse) {
    const watch = createRightsWatch({ rights: stores.rights, revocations: auth.revocations, clock, logger })
    closers.push(() => watch.close())
    closers.push(watchSecret({ secret, bus, logger }))
  }
  return {
    isInUse,
    hasSharedKeys: () => settings.legacyKeys().length > 0,
    stores,
    auth,
    endUsers,
    onNewAdmin,
    secretFault: secret.fault,
    deriveKey: (purpose) => deriveKey(secret, purpose),
  }
}

/** Stops using the secret once another process has given the database another one. @returns ends this */
function watchSecret(parts: {
  readonly secret: ServerSecret
  readonly bus: Bus
  readonly logger: Logger
}): () => Promise<void> {
  const { secret, bus, logger } = parts
  let looking: Promise<void> = Promise.resolve()
  const look = async (): Promise<void> => {
    if (secret.fault() !== undefined) return
    try {
      if (!(await secret.look())) logger.error({}, 'the secret of the database was replaced; restart with the new one')
    } catch (error) {
      logger.warn({ err: error }, 'the secret of the database could not be checked')
    }
  }
  const unsubscribe = bus.subscribe('rights.revoked', ({ kind }) => {
    if (kind === 'all') looking = looking.then(look)
  })
  return () => {
    unsubscribe()
    return looking
  }
}
