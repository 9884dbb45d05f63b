import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'

/** Files that users have uploaded. Their bytes are in the data path of a server. */
export const storedFilesOnSqlite = sqlite.sqliteTable(
  'stored_files',
  {
    id: sqlite.text('id').primaryKey(),
    /** Id of the principal that uploaded it. */
    owner: sqlite.text('owner').notNull(),
    /** Id of the server that has its bytes. */
    server: sqlite.text('server').notNull(),
    /** The name that the client gave. */
    filename: sqlite.text('filename').notNull(),
    purpose: sqlite.text('purpose').notNull(),
    sizeBytes: sqlite.integer('size_bytes').notNull(),
    /** Milliseconds since the epoch. */
    createdAt: sqlite.integer('created_at').notNull(),
    /** Milliseconds since the epoch; null = never. */
    expiresAt: sqlite.integer('expires_at'),
  },
  (table) => [
    sqlite.index('stored_files_by_owner').on(table.owner, table.createdAt, table.id),
    sqlite.index('stored_files_by_age').on(table.createdAt, table.id),
    sqlite.index('stored_files_by_end').on(table.expiresAt),
  ],
)

export const storedFilesOnPostgres = pg.pgTable(
  'stored_files',
  {
    id: pg.text('id').primaryKey(),
    owner: pg.text('owner').notNull(),
    server: pg.text('server').notNull(),
    filename: pg.text('filename').notNull(),
    purpose: pg.text('purpose').notNull(),
    sizeBytes: pg.bigint('size_bytes', { mode: 'number' }).notNull(),
    createdAt: pg.bigint('created_at', { mode: 'number' }).notNull(),
    expiresAt: pg.bigint('expires_at', { mode: 'number' }),
  },
  (table) => [
    pg.index('stored_files_by_owner').on(table.owner, table.createdAt, table.id),
    pg.index('stored_files_by_age').on(table.createdAt, table.id),
    pg.index('stored_files_by_end').on(table.expiresAt),
  ],
)
