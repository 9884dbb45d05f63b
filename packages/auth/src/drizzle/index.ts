/**
 * Stores in SQLite and PostgreSQL, over drizzle.
 *
 * @module
 */

import type { Stores } from '../ports/stores.ts'
import { createDrizzleApiKeys } from './api-keys.ts'
import { createRightsStore, type Listen } from './facts.ts'
import { createDrizzleGroups } from './groups.ts'
import type { ReadHeavily } from './heavy-reads.ts'
import { createDrizzleInvites, createDrizzleSignIns, createDrizzleUsedTokens } from './invites.ts'
import { createDrizzleKnownAddresses } from './known-addresses.ts'
import { createDrizzleLimits } from './limits.ts'
import type { DrizzleQueries } from './queries.ts'
import { createDrizzleQuotas } from './quotas.ts'
import { createDrizzleSessions } from './sessions.ts'
import { type Dialect, pickTables } from './tables.ts'
import { createDrizzleUsage } from './usage.ts'
import { createDrizzleUsers } from './users.ts'

export type { Listen } from './facts.ts'
export type { HeavyRead, ReadHeavily } from './heavy-reads.ts'
export {
  createPostgresQueries,
  createSqliteQueries,
  type DrizzleQueries,
  type PostgresOrm,
  type Queries,
  type QueryBuilder,
  type SqliteOrm,
  type WriteResult,
} from './queries.ts'
export { listTableStatements } from './table-statements.ts'
export { type AuthTables, type Dialect, postgresAuthTables, sqliteAuthTables } from './tables.ts'

/** Options of {@link createDrizzleStores}. */
export interface DrizzleStoresOptions {
  readonly dialect: Dialect
  /** Runs the queries: `createSqliteQueries`, `createPostgresQueries`, or a runner of your own. */
  readonly queries: DrizzleQueries
  /** Runs usage queries over many rows, away from the others. @default with the others */
  readonly readHeavily?: ReadHeavily | undefined
  /** Listens to notifications of the database. @default nobody listens: changes of rights are found by asking */
  readonly listen?: Listen | undefined
}

/** Stores in a database that has the tables already. */
export function createDrizzleStores({ dialect, queries, readHeavily, listen }: DrizzleStoresOptions): Stores {
  const tables = pickTables(dialect)
  return {
    users: createDrizzleUsers(queries, tables),
    rights: createRightsStore(queries, tables, listen),
    sessions: createDrizzleSessions(queries, tables),
    apiKeys: createDrizzleApiKeys(queries, tables),
    invites: createDrizzleInvites(queries, tables),
    signIns: createDrizzleSignIns(queries, tables),
    usedTokens: createDrizzleUsedTokens(queries, tables),
    knownAddresses: createDrizzleKnownAddresses(queries, tables),
    usage: createDrizzleUsage(queries, { tables, dialect }, readHeavily),
    quotas: createDrizzleQuotas(queries, tables),
    groups: createDrizzleGroups(queries, tables),
    limits: createDrizzleLimits(queries, tables),
  }
}
