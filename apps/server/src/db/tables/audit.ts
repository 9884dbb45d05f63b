import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'

/** What the PII filter, the intercepting proxy and admission leave for an operator (§6.1): never any matched text. */
export const piiEventsOnSqlite = sqlite.sqliteTable(
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
    /** Everything else of the event, as JSON. */
    facts: sqlite.text('facts').notNull(),
  },
  (table) => [sqlite.index('pii_events_by_age').on(table.createdAt)],
)

export const piiEventsOnPostgres = pg.pgTable(
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
