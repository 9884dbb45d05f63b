import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'

/** Downloaded files by their content, so that none is fetched twice. A row is a hint: the file is hashed again. */
export const knownFilesOnSqlite = sqlite.sqliteTable(
  'known_files',
  {
    /** Absolute. */
    path: sqlite.text('path').primaryKey(),
    sha256: sqlite.text('sha256').notNull(),
    /** Milliseconds since the epoch. */
    notedAt: sqlite.integer('noted_at').notNull(),
  },
  (table) => [sqlite.index('known_files_by_content').on(table.sha256)],
)

export const knownFilesOnPostgres = pg.pgTable(
  'known_files',
  {
    path: pg.text('path').primaryKey(),
    sha256: pg.text('sha256').notNull(),
    notedAt: pg.bigint('noted_at', { mode: 'number' }).notNull(),
  },
  (table) => [pg.index('known_files_by_content').on(table.sha256)],
)
