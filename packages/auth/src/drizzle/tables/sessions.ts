import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'

/** Browser sessions. Only the hashes of their values are kept. */
export const sessionsOnSqlite = sqlite.sqliteTable(
  'auth_sessions',
  {
    id: sqlite.text('id').primaryKey(),
    /** Null for a session of a shared key. */
    userId: sqlite.text('user_id'),
    sharedKeyHash: sqlite.text('shared_key_hash'),
    apiKeyId: sqlite.text('api_key_id'),
    providerSession: sqlite.text('provider_session'),
    hash: sqlite.text('hash').notNull(),
    /** Hash of the previous value, which is valid until `previous_until`. */
    previousHash: sqlite.text('previous_hash'),
    previousUntil: sqlite.integer('previous_until').notNull(),
    createdAt: sqlite.integer('created_at').notNull(),
    rotatedAt: sqlite.integer('rotated_at').notNull(),
    expiresAt: sqlite.integer('expires_at').notNull(),
  },
  (table) => [
    sqlite.uniqueIndex('auth_sessions_by_hash').on(table.hash),
    sqlite.index('auth_sessions_by_previous_hash').on(table.previousHash),
    sqlite.index('auth_sessions_by_user').on(table.userId, table.createdAt),
    sqlite.index('auth_sessions_by_expiry').on(table.expiresAt),
    sqlite.index('auth_sessions_by_provider').on(table.providerSession),
  ],
)

export const sessionsOnPostgres = pg.pgTable(
  'auth_sessions',
  {
    id: pg.text('id').primaryKey(),
    userId: pg.text('user_id'),
    sharedKeyHash: pg.text('shared_key_hash'),
    apiKeyId: pg.text('api_key_id'),
    providerSession: pg.text('provider_session'),
    hash: pg.text('hash').notNull(),
    previousHash: pg.text('previous_hash'),
    previousUntil: pg.bigint('previous_until', { mode: 'number' }).notNull(),
    createdAt: pg.bigint('created_at', { mode: 'number' }).notNull(),
    rotatedAt: pg.bigint('rotated_at', { mode: 'number' }).notNull(),
    expiresAt: pg.bigint('expires_at', { mode: 'number' }).notNull(),
  },
  (table) => [
    pg.uniqueIndex('auth_sessions_by_hash').on(table.hash),
    pg.index('auth_sessions_by_previous_hash').on(table.previousHash),
    pg.index('auth_sessions_by_user').on(table.userId, table.createdAt),
    pg.index('auth_sessions_by_expiry').on(table.expiresAt),
    pg.index('auth_sessions_by_provider').on(table.providerSession),
  ],
)
