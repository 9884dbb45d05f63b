import { join } from 'node:path'
import { type Auth, createAuth } from '@svc/auth'
import { createDrizzleStores, type DrizzleQueries } from '@svc/auth/drizzle'
import type { Stores } from '@svc/auth/ports'
import type { ServerConfig } from '../config/schema.ts'
import type { Database } from '../db/database.ts'
import { openSecretFile } from '../files/secret-file.ts'
import type { Clock, Logger } from '../ports.ts'
import type { Settings } from '../settings/settings.ts'
import type { Closers } from './closers.ts'
import { openUsage } from './open-usage.ts'

/** Name of the file in the data folder under whose content keys, sessions and invites are stored. */
const SECRET_FILE = '.hmac_secret'

/** What {@link openAccounts} needs. */
export interface AccountsOptions {
  readonly config: ServerConfig
  readonly settings: Pick<Settings, 'legacyKeys' | 'subscribe'>
  readonly database: Database
  readonly clock: Clock
  readonly log: Logger
}

/** Accounts and what belongs to them. */
export interface AccountRoom {
  readonly stores: Stores
  readonly auth: Auth
}

/** Opens the stores of accounts in the database, and the parts over them. */
export async function openAccounts(options: AccountsOptions, closers: Closers): Promise<AccountRoom> {
  const { config, settings, database, clock, log: logger } = options
  const queries: DrizzleQueries = database.queries
  const stores = createDrizzleStores({
    dialect: database.dialect,
    queries,
    readHeavily: (query, read) => database.read(query, read),
  })
  const { recorder, quotas } = await openUsage({ dataPath: config.dataPath, database, stores, clock, logger }, closers)
  const auth = createAuth({
    stores: { ...stores, quotas },
    usageRecorder: recorder,
    secret: await openSecretFile(join(config.dataPath, SECRET_FILE)),
    sharedKeys: settings.legacyKeys(),
    hasAccounts: false,
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
  return { stores, auth }
}
