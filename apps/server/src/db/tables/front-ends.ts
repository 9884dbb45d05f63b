import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'

/** Front ends of a cluster: leases that end by themselves. */
export const frontEndsOnSqlite = sqlite.sqliteTable('front_ends', {
  /** Id of the server. */
  id: sqlite.text('id').primaryKey(),
  /** Milliseconds since the epoch, by the clock of the database. */
  leaseUntil: sqlite.integer('lease_until').notNull(),
  /** Progress of its operations by their ids, a JSON object. */
  progress: sqlite.text('progress').notNull(),
})

export const frontEndsOnPostgres = pg.pgTable('front_ends', {
  id: pg.text('id').primaryKey(),
  leaseUntil: pg.bigint('lease_until', { mode: 'number' }).notNull(),
  progress: pg.text('progress').notNull(),
})
