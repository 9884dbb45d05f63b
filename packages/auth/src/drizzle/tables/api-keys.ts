import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'

/** API keys of users and services. Only the hashes of their values are kept. */
export const apiKeysOnSqlite = sqlite.sqliteTable(
  'auth_api_keys',
  {
    id: sqlite.text('id').primaryKey(),
    /** Empty for the key of a service. */
    userId: sqlite.text('user_id').notNull(),
    name: sqlite.text('name').notNull(),
    note: sqlite.text('note').notNull().default(''),
    hash: sqlite.text('hash').notNull(),
    /** Hash of the value before, which is valid until `previous_until`. */
    previousHash: sqlite.text('previous_hash'),
    previousUntil: sqlite.integer('previous_until').notNull().default(0),
    rotatedAt: sqlite.integer('rotated_at'),
    prefix: sqlite.text('prefix').notNull(),
    /** The owner's role when the key was made. */
    role: sqlite.text('role').notNull(),
    /** As JSON. */
    scopes: sqlite.text('scopes').notNull(),
    /** `owner` or `admin`; null while the key is in use. */
    blockedBy: sqlite.text('blocked_by'),
    blockReason: sqlite.text('block_reason').notNull().default(''),
    createdBy: sqlite.text('created_by'),
    createdAt: sqlite.integer('created_at').notNull(),
    expiresAt: sqlite.integer('expires_at'),
    lastUsedAt: sqlite.integer('last_used_at'),
  },
  (table) => [
    sqlite.uniqueIndex('auth_api_keys_by_hash').on(table.hash),
    sqlite.index('auth_api_keys_by_previous_hash').on(table.previousHash),
    sqlite.index('auth_api_keys_by_user').on(table.userId, table.createdAt),
    sqlite.index('auth_api_keys_by_expiry').on(table.expiresAt),
    sqlite.index('auth_api_keys_by_creation').on(table.createdAt),
  ],
)

export const apiKeysOnPostgres = pg.pgTable(
  'auth_api_keys',
  {
    id: pg.text('id').primaryKey(),
    userId: pg.text('user_id').notNull(),
    name: pg.text('name').notNull(),
    note: pg.text('note').notNull().default(''),
    hash: pg.text('hash').notNull(),
    previousHash: pg.text('previous_hash'),
    previousUntil: pg.bigint('previous_until', { mode: 'number' }).notNull().default(0),
    rotatedAt: pg.bigint('rotated_at', { mode: 'number' }),
    prefix: pg.text('prefix').notNull(),
    role: pg.text('role').notNull(),
    scopes: pg.text('scopes').notNull(),
    blockedBy: pg.text('blocked_by'),
    blockReason: pg.text('block_reason').notNull().default(''),
    createdBy: pg.text('created_by'),
    createdAt: pg.bigint('created_at', { mode: 'number' }).notNull(),
    expiresAt: pg.bigint('expires_at', { mode: 'number' }),
    lastUsedAt: pg.bigint('last_used_at', { mode: 'number' }),
  },
  (table) => [
    pg.uniqueIndex('auth_api_keys_by_hash').on(table.hash),
    pg.index('auth_api_keys_by_previous_hash').on(table.previousHash),
    pg.index('auth_api_keys_by_user').on(table.userId, table.createdAt),
    pg.index('auth_api_keys_by_expiry').on(table.expiresAt),
    pg.index('auth_api_keys_by_creation').on(table.createdAt),
  ],
)
