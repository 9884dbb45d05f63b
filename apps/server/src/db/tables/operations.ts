import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'

/** Operations (§2.7): the queue, the running ones, failures, and the history. */
export const operationsOnSqlite = sqlite.sqliteTable(
  'operations',
  {
    jobId: sqlite.text('job_id').primaryKey(),
    /** Id of the server that runs it. */
    owner: sqlite.text('owner').notNull(),
    state: sqlite.text('state').notNull(),
    subject: sqlite.text('subject').notNull(),
    action: sqlite.text('action').notNull(),
    fullName: sqlite.text('full_name').notNull(),
    /** As JSON. */
    details: sqlite.text('details').notNull(),
    error: sqlite.text('error'),
    nodeId: sqlite.text('node_id'),
    /** Order of the queue. */
    position: sqlite.integer('position').notNull(),
    /** Milliseconds since the epoch. */
    createdAt: sqlite.integer('created_at').notNull(),
    startedAt: sqlite.integer('started_at'),
    finishedAt: sqlite.integer('finished_at'),
  },
  (table) => [sqlite.index('operations_by_owner').on(table.owner, table.state)],
)

export const operationsOnPostgres = pg.pgTable(
  'operations',
  {
    jobId: pg.text('job_id').primaryKey(),
    owner: pg.text('owner').notNull(),
    state: pg.text('state').notNull(),
    subject: pg.text('subject').notNull(),
    action: pg.text('action').notNull(),
    fullName: pg.text('full_name').notNull(),
    details: pg.text('details').notNull(),
    error: pg.text('error'),
    nodeId: pg.text('node_id'),
    position: pg.bigint('position', { mode: 'number' }).notNull(),
    createdAt: pg.bigint('created_at', { mode: 'number' }).notNull(),
    startedAt: pg.bigint('started_at', { mode: 'number' }),
    finishedAt: pg.bigint('finished_at', { mode: 'number' }),
  },
  (table) => [pg.index('operations_by_owner').on(table.owner, table.state)],
)
