import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'

/** Small files that the front ends of a cluster share. */
export const sharedDocumentsOnSqlite = sqlite.sqliteTable(
  'shared_documents',
  {
    /** What it is: `setting`, `model`, ... */
    kind: sqlite.text('kind').notNull(),
    /** File name. */
    name: sqlite.text('name').notNull(),
    /** Text, or base64 for a kind with bytes; empty when deleted. */
    content: sqlite.text('content').notNull(),
    /** Facts for whoever writes the file, JSON. */
    details: sqlite.text('details').notNull(),
    /** SHA-256 of the content, hexadecimal; empty when deleted. */
    revision: sqlite.text('revision').notNull(),
    /** Grows with every write, from 1. */
    version: sqlite.integer('version').notNull(),
    /** 0 or 1. A deleted document stays for a time, so that nobody brings it back. */
    isDeleted: sqlite.integer('is_deleted').notNull(),
    /** Milliseconds since the epoch, by the clock of the database. */
    changedAt: sqlite.integer('changed_at').notNull(),
  },
  (table) => [sqlite.primaryKey({ columns: [table.kind, table.name] })],
)

export const sharedDocumentsOnPostgres = pg.pgTable(
  'shared_documents',
  {
    kind: pg.text('kind').notNull(),
    name: pg.text('name').notNull(),
    content: pg.text('content').notNull(),
    details: pg.text('details').notNull(),
    revision: pg.text('revision').notNull(),
    version: pg.bigint('version', { mode: 'number' }).notNull(),
    isDeleted: pg.bigint('is_deleted', { mode: 'number' }).notNull(),
    changedAt: pg.bigint('changed_at', { mode: 'number' }).notNull(),
  },
  (table) => [pg.primaryKey({ columns: [table.kind, table.name] })],
)
