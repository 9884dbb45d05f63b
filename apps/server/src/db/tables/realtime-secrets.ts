import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'

/** Short-lived credentials for realtime sessions. */
export const realtimeSecretsOnSqlite = sqlite.sqliteTable(
  'realtime_secrets',
  {
    /** Hash of the value. */
    hash: sqlite.text('hash').primaryKey(),
    /** The credential that made it: `key`, `session`, `shared` or `local`. */
    maker: sqlite.text('maker').notNull(),
    /** Id of the key or the session, or the hash of the shared key. */
    makerId: sqlite.text('maker_id').notNull(),
    model: sqlite.text('model').notNull(),
    /** Settings of its sessions, a JSON object, sealed. */
    session: sqlite.text('session').notNull(),
    /** Milliseconds since the epoch. */
    expiresAt: sqlite.integer('expires_at').notNull(),
  },
  (table) => [sqlite.index('realtime_secrets_by_end').on(table.expiresAt)],
)

export const realtimeSecretsOnPostgres = pg.pgTable(
  'realtime_secrets',
  {
    hash: pg.text('hash').primaryKey(),
    maker: pg.text('maker').notNull(),
    makerId: pg.text('maker_id').notNull(),
    model: pg.text('model').notNull(),
    session: pg.text('session').notNull(),
    expiresAt: pg.bigint('expires_at', { mode: 'number' }).notNull(),
  },
  (table) => [pg.index('realtime_secrets_by_end').on(table.expiresAt)],
)
