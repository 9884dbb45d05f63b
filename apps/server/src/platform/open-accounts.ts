import { join } from 'node:path'
import { type Auth, type AuthOptions, createAuth, createRightsWatch } from '@svc/auth'
import { createDrizzleStores } from '@svc/auth/drizzle'
import type { Stores } from '@svc/auth/ports'
import type { ServerConfig } from '../config/schema.ts'
import type { Database } from '../db/database.ts'
import type { FileLock } from '../files/file-lock.ts'
import { openSecretFile } from '../files/secret-file.ts'
import type { Clock, Logger } from '../ports.ts'
import type { Settings } from '../settings/settings.ts'
import type { Closers } from './closers.ts'
import { openUsage } from './open-usage.ts'

/** Name of the file in the data folder under whose content keys, sessions and invites are stored. */
const SECRET_FILE = '.hmac_secret'

/** Options of {@link openAccounts}. */
export interface AccountsOptions {
  readonly config: ServerConfig
  readonly settings: Pick<Settings, 'legacyKeys' | 'subscribe'>
  readonly database: Database
  /** The lock of the data folder. */
  readonly lock: FileLock
  readonly clock: Clock
  readonly log: Logger
}

/** Accounts and what belongs to them. */
export interface AccountModule {
  /** Whether accounts are in use; without them only shared keys count. */
  readonly isInUse: boolean
  readonly stores: Stores
  readonly auth: Auth
}

/** Whether a configuration turns accounts on (§5.2). */
function usesAccounts({ authEnabled, codehostClientId, oidcClientId }: ServerConfig): boolean {
  return authEnabled || isGiven(codehostClientId) || isGiven(oidcClientId)
}

function isGiven(value: string | undefined): boolean {
  return value !== undefined && value !== ''
}

/** The options of the parts over the stores that a configuration decides. */
export async function toAuthOptions(config: ServerConfig): Promise<Omit<AuthOptions, 'stores'>> {
  const { authAdminEmail: email = '', adminEmailStrict: isStrict, authApiKeyHmacSecret: secret } = config
  return {
    secret: secret ?? (await openSecretFile(join(config.dataPath, SECRET_FILE))),
    hasAccounts: usesAccounts(config),
    registrationMode: config.authRegistrationMode,
    admin: email === '' ? undefined : { email, isStrict },
    defaultKeyLifetimeMs: config.defaultApiKeyExpiryMs,
    outageGraceMs: config.authOutageGraceMs,
  }
}

/** The stores of accounts in a database. */
export function createAccountStores(database: Database): Stores {
  return createDrizzleStores({
    dialect: database.dialect,
    queries: database.queries,
    readHeavily: (query, options) => database.read(query, options),
  })
}

/** Opens the stores of accounts in the database, and the parts over them. */
export async function openAccounts(options: AccountsOptions, closers: Closers): Promise<AccountModule> {
  const { config, settings, database, lock, clock, log: logger } = options
  const stores = createAccountStores(database)
  const { recorder, quotas } = await openUsage(
    { dataPath: config.dataPath, lock, database, stores, clock, logger },
    closers,
  )
  const own = await toAuthOptions(config)
  const auth = createAuth({
    ...own,
    stores: { ...stores, quotas },
    usageRecorder: recorder,
    sharedKeys: settings.legacyKeys(),
    clock,
    logger,
  })
  closers.push(() => auth.close())
  closers.push(
    settings.subscribe((changed) => {
      if (!changed.has('api_keys')) return
      auth.sharedKeys.replace(settings.legacyKeys())
      auth.revocations.publish({ kind: 'all' })
    }),
  )
  const isInUse = usesAccounts(config)
  if (isInUse) {
    const watch = createRightsWatch({ rights: stores.rights, revocations: auth.revocations, clock, logger })
    closers.push(() => watch.close())
  }
  return { isInUse, stores, auth }
}
