import { createRequire } from 'node:module'
import type BetterSqlite from 'better-sqlite3'
import type { Logger } from '../ports.ts'

/** The modules that can open a SQLite file; the second is made for machines where the first cannot be built. */
export const SQLITE_ENGINES = ['better-sqlite3', 'libsql'] as const

/** Name of a module that opens SQLite files. */
export type SqliteEngine = (typeof SQLITE_ENGINES)[number]

/** An open SQLite file. */
export type SqliteClient = BetterSqlite.Database

/** A loaded module. */
export interface LoadedEngine {
  readonly name: SqliteEngine
  readonly open: (path: string) => SqliteClient
}

const require = createRequire(import.meta.url)

function load(name: SqliteEngine): LoadedEngine {
  // both have the constructor that these types describe, libsql by its own promise
  const Client: new (path: string) => SqliteClient = require(name)
  // the native part is loaded by the first database only
  new Client(':memory:').close()
  return { name, open: (path) => new Client(path) }
}

/**
 * Loads better-sqlite3, or libsql with a warning where that cannot be loaded.
 *
 * @param options.engine only this one, for suites that run on both
 * @param options.loadEngine how a module is loaded @default from the installation
 */
export function loadSqliteEngine(options: {
  readonly logger: Logger
  readonly engine?: SqliteEngine | undefined
  readonly loadEngine?: ((name: SqliteEngine) => LoadedEngine) | undefined
}): LoadedEngine {
  const { logger, engine, loadEngine = load } = options
  if (engine !== undefined) return loadEngine(engine)
  try {
    return loadEngine('better-sqlite3')
  } catch (error) {
    logger.warn({ err: error }, 'better-sqlite3 cannot be loaded, libsql takes its place')
    return loadEngine('libsql')
  }
}
