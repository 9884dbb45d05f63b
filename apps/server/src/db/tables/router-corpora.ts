import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'

/** Lines of the labelled texts of routers. The shared document of a corpus names the generation that counts. */
export const routerCorporaOnSqlite = sqlite.sqliteTable(
  'router_corpora',
  {
    corpus: sqlite.text('corpus').notNull(),
    /** Milliseconds since the epoch, then a random part: later ones are greater. */
    generation: sqlite.text('generation').notNull(),
    line: sqlite.integer('line').notNull(),
    text: sqlite.text('text').notNull(),
  },
  (table) => [sqlite.primaryKey({ columns: [table.corpus, table.generation, table.line] })],
)

export const routerCorporaOnPostgres = pg.pgTable(
  'router_corpora',
  {
    corpus: pg.text('corpus').notNull(),
    generation: pg.text('generation').notNull(),
    line: pg.bigint('line', { mode: 'number' }).notNull(),
    text: pg.text('text').notNull(),
  },
  (table) => [pg.primaryKey({ columns: [table.corpus, table.generation, table.line] })],
)
