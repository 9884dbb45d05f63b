import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'

/** Single numbers: the revision of rights, the lock of registrations, how far single usage records were removed. */
export const factsOnSqlite = sqlite.sqliteTable('auth_facts', {
  key: sqlite.text('key').primaryKey(),
  value: sqlite.integer('value').notNull(),
})

export const factsOnPostgres = pg.pgTable('auth_facts', {
  key: pg.text('key').primaryKey(),
  value: pg.bigint('value', { mode: 'number' }).notNull(),
})
