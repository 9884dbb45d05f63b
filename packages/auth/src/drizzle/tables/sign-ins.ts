import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'

/** Sign-ins that are under way at a provider. */
export const signInsOnSqlite = sqlite.sqliteTable(
  'auth_sign_ins',
  {
    hash: sqlite.text('hash').primaryKey(),
    expiresAt: sqlite.integer('expires_at').notNull(),
  },
  (table) => [sqlite.index('auth_sign_ins_by_expiry').on(table.expiresAt)],
)

export const signInsOnPostgres = pg.pgTable(
  'auth_sign_ins',
  {
    hash: pg.text('hash').primaryKey(),
    expiresAt: pg.bigint('expires_at', { mode: 'number' }).notNull(),
  },
  (table) => [pg.index('auth_sign_ins_by_expiry').on(table.expiresAt)],
)
