import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'

/** Addresses from which accounts have signed in. Only their hashes are kept. */
export const knownAddressesOnSqlite = sqlite.sqliteTable(
  'auth_known_addresses',
  {
    hash: sqlite.text('hash').primaryKey(),
    userId: sqlite.text('user_id').notNull(),
    usedAt: sqlite.integer('used_at').notNull(),
  },
  (table) => [
    sqlite.index('auth_known_addresses_by_user').on(table.userId, table.usedAt),
    sqlite.index('auth_known_addresses_by_use').on(table.usedAt),
  ],
)

export const knownAddressesOnPostgres = pg.pgTable(
  'auth_known_addresses',
  {
    hash: pg.text('hash').primaryKey(),
    userId: pg.text('user_id').notNull(),
    usedAt: pg.bigint('used_at', { mode: 'number' }).notNull(),
  },
  (table) => [
    pg.index('auth_known_addresses_by_user').on(table.userId, table.usedAt),
    pg.index('auth_known_addresses_by_use').on(table.usedAt),
  ],
)
