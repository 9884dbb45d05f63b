import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'

/** Stored responses (§4.3): request, state and result. */
export const responsesOnSqlite = sqlite.sqliteTable(
  'responses',
  {
    id: sqlite.text('id').primaryKey(),
    /** Id of the principal that created it. */
    owner: sqlite.text('owner').notNull(),
    status: sqlite.text('status').notNull(),
    /** Milliseconds since the epoch. */
    createdAt: sqlite.integer('created_at').notNull(),
    /** While it runs: the time until which its server counts as alive, milliseconds since the epoch. */
    leaseUntil: sqlite.integer('lease_until').notNull(),
    /** Size of everything that belongs to it. */
    sizeBytes: sqlite.integer('size_bytes').notNull(),
    /** 1 when it has events to replay. */
    streamed: sqlite.integer('streamed').notNull(),
    /** The response as clients get it, as JSON. */
    resource: sqlite.text('resource').notNull(),
    /** The items of its own input, as JSON. */
    input: sqlite.text('input').notNull(),
  },
  (table) => [sqlite.index('responses_by_age').on(table.createdAt, table.sizeBytes)],
)

export const responsesOnPostgres = pg.pgTable(
  'responses',
  {
    id: pg.text('id').primaryKey(),
    owner: pg.text('owner').notNull(),
    status: pg.text('status').notNull(),
    createdAt: pg.bigint('created_at', { mode: 'number' }).notNull(),
    leaseUntil: pg.bigint('lease_until', { mode: 'number' }).notNull(),
    sizeBytes: pg.bigint('size_bytes', { mode: 'number' }).notNull(),
    streamed: pg.integer('streamed').notNull(),
    resource: pg.text('resource').notNull(),
    input: pg.text('input').notNull(),
  },
  (table) => [pg.index('responses_by_age').on(table.createdAt, table.sizeBytes)],
)

/** The response of an item; an id that a client sent belongs to the first response that had it. */
export const responseItemsOnSqlite = sqlite.sqliteTable(
  'response_items',
  {
    id: sqlite.text('id').notNull(),
    responseId: sqlite.text('response_id').notNull(),
  },
  (table) => [
    sqlite.primaryKey({ columns: [table.id, table.responseId] }),
    sqlite.index('response_items_by_response').on(table.responseId),
  ],
)

export const responseItemsOnPostgres = pg.pgTable(
  'response_items',
  {
    id: pg.text('id').notNull(),
    responseId: pg.text('response_id').notNull(),
  },
  (table) => [
    pg.primaryKey({ columns: [table.id, table.responseId] }),
    pg.index('response_items_by_response').on(table.responseId),
  ],
)

/** Events of streamed responses, many in one row. */
export const responseEventsOnSqlite = sqlite.sqliteTable(
  'response_events',
  {
    responseId: sqlite.text('response_id').notNull(),
    /** Number of the first event of the row; the others follow. */
    firstSequence: sqlite.integer('first_sequence').notNull(),
    /** The events as they were sent. */
    frames: sqlite.text('frames').notNull(),
  },
  (table) => [sqlite.primaryKey({ columns: [table.responseId, table.firstSequence] })],
)

export const responseEventsOnPostgres = pg.pgTable(
  'response_events',
  {
    responseId: pg.text('response_id').notNull(),
    firstSequence: pg.bigint('first_sequence', { mode: 'number' }).notNull(),
    frames: pg.text('frames').notNull(),
  },
  (table) => [pg.primaryKey({ columns: [table.responseId, table.firstSequence] })],
)
