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

/** Why a module does not load, in a few words. */
function reasonFor(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  if (/^Cannot find module/.test(message)) return 'is not installed'
  if (/^Could not locate the bindings file/.test(message)) return 'has no binary here'
  return `cannot be loaded (${message.split('\n', 1)[0]})`
}

/**
 * Loads better-sqlite3 where its binary is there, else libsql, which comes with a prebuilt one. The log says in one
 * line which one it is and why; the error itself is for `debug`.
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
    logger.info({}, `libsql opens the database: better-sqlite3, which reads twice as fast, ${reasonFor(error)}`)
    logger.debug({ err: error }, 'better-sqlite3 does not load')
    return loadEngine('libsql')
  }
}
