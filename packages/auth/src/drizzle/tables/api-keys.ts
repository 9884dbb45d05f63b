import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'

/** Users' API keys. Only the hashes of their values are kept. */
export const apiKeysOnSqlite = sqlite.sqliteTable(
  'auth_api_keys',
  {
    id: sqlite.text('id').primaryKey(),
    userId: sqlite.text('user_id').notNull(),
    name: sqlite.text('name').notNull(),
    hash: sqlite.text('hash').notNull(),
    prefix: sqlite.text('prefix').notNull(),
    /** The owner's role when the key was made. */
    role: sqlite.text('role').notNull(),
    /** As JSON. */
    scopes: sqlite.text('scopes').notNull(),
    createdAt: sqlite.integer('created_at').notNull(),
    expiresAt: sqlite.integer('expires_at'),
    lastUsedAt: sqlite.integer('last_used_at'),
  },
  (table) => [
    sqlite.uniqueIndex('auth_api_keys_by_hash').on(table.hash),
    sqlite.index('auth_api_keys_by_user').on(table.userId, table.createdAt),
    sqlite.index('auth_api_keys_by_expiry').on(table.expiresAt),
  ],
)

export const apiKeysOnPostgres = pg.pgTable(
  'auth_api_keys',
  {
    id: pg.text('id').primaryKey(),
    userId: pg.text('user_id').notNull(),
    name: pg.text('name').notNull(),
    hash: pg.text('hash').notNull(),
    prefix: pg.text('prefix').notNull(),
    role: pg.text('role').notNull(),
    scopes: pg.text('scopes').notNull(),
    createdAt: pg.bigint('created_at', { mode: 'number' }).notNull(),
    expiresAt: pg.bigint('expires_at', { mode: 'number' }),
    lastUsedAt: pg.bigint('last_used_at', { mode: 'number' }),
  },
  (table) => [
    pg.uniqueIndex('auth_api_keys_by_hash').on(table.hash),
    pg.index('auth_api_keys_by_user').on(table.userId, table.createdAt),
    pg.index('auth_api_keys_by_expiry').on(table.expiresAt),
  ],
)
