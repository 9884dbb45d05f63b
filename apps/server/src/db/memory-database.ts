import { MEMORY_DATABASE } from '../config/places.ts'
import type { DatabaseRow, ReadQuery, SqliteDatabase } from './database.ts'
import { toDatabaseError } from './database-error.ts'
import { migrationsFolder, readMigrations } from './migrations.ts'
import { MAX_ROWS, tooManyRows } from './read-limits.ts'
import { identify, type SqliteOptions, toDatabase } from './sqlite.ts'
import { loadSqliteEngine, type SqliteClient } from './sqlite-engine.ts'
import { migrateSqlite } from './sqlite-migrate.ts'

/** Memory that the database may take. Above it writes fail as on a full disk. */
const MAX_BYTES = 256 * 1024 * 1024
const PAGE_BYTES = 4096

/** Opens an empty database in memory. Nothing of it is on disk, and no other program can read it. */
export async function openMemoryDatabase(
  options: Omit<SqliteOptions, 'path' | 'joinsServer'>,
): Promise<SqliteDatabase> {
  const { appVersion, logger, clock, engine } = options
  const loaded = loadSqliteEngine({ logger, engine })
  const client = loaded.open(MEMORY_DATABASE)
  client.pragma(`page_size = ${PAGE_BYTES}`)
  client.pragma(`max_page_count = ${MAX_BYTES / PAGE_BYTES}`)
  client.pragma('foreign_keys = ON')
  const now = clock.now()
  migrateSqlite(client, { migrations: readMigrations(migrationsFolder('sqlite')), where: MEMORY_DATABASE, now })
  logger.warn({}, 'accounts, usage and events are kept in memory; they are lost when the server ends')
  return toDatabase({
    instanceId: identify(client, appVersion, now),
    engine: loaded.name,
    client,
    lock: undefined,
    clock,
    // A thread cannot open this database, so reads take their turn between the short queries.
    createReader: (queries) => ({
      read: (query, { signal, maxRows = MAX_ROWS }) =>
        queries.transaction(async () => {
          signal.throwIfAborted()
          return readRows(client, query, maxRows)
        }),
      close: () => Promise.resolve(),
    }),
  })
}

function readRows(client: SqliteClient, { sql, params = [] }: ReadQuery, maxRows: number): readonly DatabaseRow[] {
  const rows: DatabaseRow[] = []
  try {
    for (const row of client.prepare(sql).iterate(...params)) {
      if (rows.length === maxRows) throw tooManyRows(maxRows)
      rows.push(row as DatabaseRow)
    }
  } catch (error) {
    throw toDatabaseError(error)
  }
  return rows
}
