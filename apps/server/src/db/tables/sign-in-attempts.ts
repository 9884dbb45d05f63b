import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'

/** Attempts to sign in that are under way or have failed, for servers that share their limits. */
export const signInAttemptsOnSqlite = sqlite.sqliteTable(
  'sign_in_attempts',
  {
    id: sqlite.text('id').notNull(),
    /** Hash of what is limited, such as an address. */
    name: sqlite.text('name').notNull(),
    /** 0 while it is under way. */
    isFailed: sqlite.integer('is_failed').notNull(),
    /** When it no longer counts: milliseconds since the epoch, by the clock of the database. */
    endsAt: sqlite.integer('ends_at').notNull(),
  },
  (table) => [
    sqlite.primaryKey({ columns: [table.name, table.id] }),
    sqlite.index('sign_in_attempts_by_end').on(table.endsAt),
  ],
)

export const signInAttemptsOnPostgres = pg.pgTable(
  'sign_in_attempts',
  {
    id: pg.text('id').notNull(),
    name: pg.text('name').notNull(),
    isFailed: pg.bigint('is_failed', { mode: 'number' }).notNull(),
    endsAt: pg.bigint('ends_at', { mode: 'number' }).notNull(),
  },
  (table) => [pg.primaryKey({ columns: [table.name, table.id] }), pg.index('sign_in_attempts_by_end').on(table.endsAt)],
)
