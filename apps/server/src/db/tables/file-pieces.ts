import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'

/** Bytes of files that front ends share, in pieces. */
export const filePiecesOnSqlite = sqlite.sqliteTable(
  'file_pieces',
  {
    /** Kind and name of the file. */
    file: sqlite.text('file').notNull(),
    /** From 0. */
    piece: sqlite.integer('piece').notNull(),
    /** Base64. */
    content: sqlite.text('content').notNull(),
  },
  (table) => [sqlite.primaryKey({ columns: [table.file, table.piece] })],
)

export const filePiecesOnPostgres = pg.pgTable(
  'file_pieces',
  {
    file: pg.text('file').notNull(),
    piece: pg.bigint('piece', { mode: 'number' }).notNull(),
    content: pg.text('content').notNull(),
  },
  (table) => [pg.primaryKey({ columns: [table.file, table.piece] })],
)
