import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Facts about this installation by name: its id, and the version that used the database last. */
export const instance = sqliteTable('instance', {
  key: text('key').primaryKey(),
  value: text('value').notNull(),
  /** Milliseconds since the epoch. */
  updatedAt: integer('updated_at').notNull(),
})

/** Stored responses (§4.3): what was asked, how far it is, what came of it. */
export const responses = sqliteTable(
  'responses',
  {
    id: text('id').primaryKey(),
    /** Id of the principal that made it. */
    owner: text('owner').notNull(),
    status: text('status').notNull(),
    /** Milliseconds since the epoch. */
    createdAt: integer('created_at').notNull(),
    /** While it runs: until when its server is known to live, milliseconds since the epoch. */
    leaseUntil: integer('lease_until').notNull(),
    /** Of everything that belongs to it. */
    sizeBytes: integer('size_bytes').notNull(),
    /** 1 when it has events to replay. */
    streamed: integer('streamed').notNull(),
    /** The response as clients get it, as JSON. */
    resource: text('resource').notNull(),
    /** The items of its own input, as JSON. */
    input: text('input').notNull(),
  },
  (table) => [index('responses_by_age').on(table.createdAt, table.sizeBytes)],
)

/** Which response an item belongs to; an id that a client sent belongs to the response that had it first. */
export const responseItems = sqliteTable(
  'response_items',
  {
    id: text('id').notNull(),
    responseId: text('response_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.id, table.responseId] }),
    index('response_items_by_response').on(table.responseId),
  ],
)

/** Events of streamed responses, many to a row. */
export const responseEvents = sqliteTable(
  'response_events',
  {
    responseId: text('response_id').notNull(),
    /** Number of the first event of the row; the others follow. */
    firstSequence: integer('first_sequence').notNull(),
    /** The events as they were sent. */
    frames: text('frames').notNull(),
  },
  (table) => [primaryKey({ columns: [table.responseId, table.firstSequence] })],
)

/** What the PII filter, the intercepting proxy and admission leave for an operator (§6.1): never any matched text. */
export const piiEvents = sqliteTable(
  'pii_events',
  {
    id: text('id').primaryKey(),
    /** Milliseconds since the epoch. */
    createdAt: integer('created_at').notNull(),
    kind: text('kind').notNull(),
    origin: text('origin').notNull(),
    correlationId: text('correlation_id').notNull(),
    userId: text('user_id').notNull(),
    patternId: text('pattern_id').notNull(),
    /** Everything else of the event, as JSON. */
    facts: text('facts').notNull(),
  },
  (table) => [index('pii_events_by_age').on(table.createdAt)],
)
