import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'

/**
 * Audit events of every kind (§6.1), without matched text. The table's name is older than its kinds; it stays so that
 * no row has to move.
 */
export const auditEventsOnSqlite = sqlite.sqliteTable(
  'pii_events',
  {
    id: sqlite.text('id').primaryKey(),
    /** Milliseconds since the epoch. */
    createdAt: sqlite.integer('created_at').notNull(),
    kind: sqlite.text('kind').notNull(),
    origin: sqlite.text('origin').notNull(),
    correlationId: sqlite.text('correlation_id').notNull(),
    userId: sqlite.text('user_id').notNull(),
    patternId: sqlite.text('pattern_id').notNull(),
    /** The other fields of the event, as JSON. */
    facts: sqlite.text('facts').notNull(),
  },
  (table) => [sqlite.index('pii_events_by_age').on(table.createdAt)],
)

export const auditEventsOnPostgres = pg.pgTable(
  'pii_events',
  {
    id: pg.text('id').primaryKey(),
    createdAt: pg.bigint('created_at', { mode: 'number' }).notNull(),
    kind: pg.text('kind').notNull(),
    origin: pg.text('origin').notNull(),
    correlationId: pg.text('correlation_id').notNull(),
    userId: pg.text('user_id').notNull(),
    patternId: pg.text('pattern_id').notNull(),
    facts: pg.text('facts').notNull(),
  },
  (table) => [pg.index('pii_events_by_age').on(table.createdAt)],
)
