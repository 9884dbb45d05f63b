import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'

/** Facts of this installation by name: its id, and the version that used the database last. */
export const instanceOnSqlite = sqlite.sqliteTable('instance', {
  key: sqlite.text('key').primaryKey(),
  value: sqlite.text('value').notNull(),
  /** Milliseconds since the epoch. */
  updatedAt: sqlite.integer('updated_at').notNull(),
})

export const instanceOnPostgres = pg.pgTable('instance', {
  key: pg.text('key').primaryKey(),
  value: pg.text('value').notNull(),
  updatedAt: pg.bigint('updated_at', { mode: 'number' }).notNull(),
})
