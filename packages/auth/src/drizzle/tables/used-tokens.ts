import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'

/** Tokens that hold once, until they expire. */
export const usedTokensOnSqlite = sqlite.sqliteTable(
  'auth_used_tokens',
  {
    hash: sqlite.text('hash').primaryKey(),
    expiresAt: sqlite.integer('expires_at').notNull(),
  },
  (table) => [sqlite.index('auth_used_tokens_by_expiry').on(table.expiresAt)],
)

export const usedTokensOnPostgres = pg.pgTable(
  'auth_used_tokens',
  {
    hash: pg.text('hash').primaryKey(),
    expiresAt: pg.bigint('expires_at', { mode: 'number' }).notNull(),
  },
  (table) => [pg.index('auth_used_tokens_by_expiry').on(table.expiresAt)],
)
