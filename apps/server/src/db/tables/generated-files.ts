import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'

/** Files that models made, and that clients fetch by their address. */
export const generatedFilesOnSqlite = sqlite.sqliteTable(
  'generated_files',
  {
    /** The name of the file in the folder of its kind: 32 hexadecimal digits and an extension. */
    name: sqlite.text('name').primaryKey(),
    /** `audio`, `images`, `videos` or `3d`. */
    kind: sqlite.text('kind').notNull(),
    /** Id of the principal that it was made for. */
    owner: sqlite.text('owner').notNull(),
    mediaType: sqlite.text('media_type').notNull(),
    sizeBytes: sqlite.integer('size_bytes').notNull(),
    /** Milliseconds since the epoch. */
    createdAt: sqlite.integer('created_at').notNull(),
  },
  (table) => [sqlite.index('generated_files_by_age').on(table.createdAt, table.sizeBytes)],
)

export const generatedFilesOnPostgres = pg.pgTable(
  'generated_files',
  {
    name: pg.text('name').primaryKey(),
    kind: pg.text('kind').notNull(),
    owner: pg.text('owner').notNull(),
    mediaType: pg.text('media_type').notNull(),
    sizeBytes: pg.bigint('size_bytes', { mode: 'number' }).notNull(),
    createdAt: pg.bigint('created_at', { mode: 'number' }).notNull(),
  },
  (table) => [pg.index('generated_files_by_age').on(table.createdAt, table.sizeBytes)],
)
