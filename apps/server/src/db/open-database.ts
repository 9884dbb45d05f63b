import { join } from 'node:path'
import { MEMORY_DATABASE } from '../config/places.ts'
import { StartRefused } from '../config/start-refused.ts'
import type { Database, DatabaseOptions } from './database.ts'
import { openSqlite } from './sqlite.ts'

/** Whether a database address is one of PostgreSQL. */
function isPostgresUrl(url: string): boolean {
  return /^postgres(ql)?:\/\//i.test(url)
}

/** The refusal of a command for accounts that no other process can reach. */
export const memoryOfServer = (): StartRefused =>
  new StartRefused('the accounts of a server with --auth-database-url :memory: are in its memory; use its HTTP API', {
    exitCode: 78,
  })

/**
 * Opens the server's database and migrates its schema to this version. The server does not start without it.
 *
 * @throws {StartRefused} exit code 78 when it is damaged, of a newer version, or cannot be opened; 75 when another
 *   server holds it or it cannot be reached
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const url = options.url ?? join(options.dataPath, 'database.db')
  if (url === MEMORY_DATABASE) {
    if (options.joinsServer === true) throw memoryOfServer()
    const { openMemoryDatabase } = await import('./memory-database.ts')
    return openMemoryDatabase(options)
  }
  if (!isPostgresUrl(url)) return openSqlite({ ...options, path: url })
  const { openPostgres } = await import('./postgres.ts')
  return openPostgres({ ...options, url })
}
