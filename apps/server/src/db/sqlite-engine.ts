import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type BetterSqlite from 'better-sqlite3'
import type { Logger } from '../ports.ts'

/** Release 13 of better-sqlite3 needs it. An older Node ends when it loads that release, instead of throwing. */
const NEEDED_NODE_API = 10

/**
 * The module of better-sqlite3 that this Node can load. `better-sqlite3` brings its binaries, for Node 22 and newer;
 * `better-sqlite3-12` is compiled on request in a clone, for Node 20.
 *
 * @param nodeApi `process.versions.napi`
 */
export function chooseBetterSqlite(nodeApi: string | undefined): 'better-sqlite3' | 'better-sqlite3-12' {
  return Number(nodeApi) >= NEEDED_NODE_API ? 'better-sqlite3' : 'better-sqlite3-12'
}

const FASTEST = chooseBetterSqlite(process.versions.napi)

/** Modules that open SQLite files; the second one has a binary for every machine. */
export const SQLITE_ENGINES = [FASTEST, 'libsql'] as const

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

/** The place of the compiled binary, from the main file of `better-sqlite3-12`. */
const COMPILED = '../../build/Release/better_sqlite3.node'

function load(name: SqliteEngine): LoadedEngine {
  // without the binary the package would search twelve folders before it gives up
  if (name === 'better-sqlite3-12' && !existsSync(join(require.resolve(name), COMPILED))) {
    throw new Error(`Could not locate the bindings file of ${name}`)
  }
  // both have the constructor of these types, libsql by its documentation
  const Client: new (path: string) => SqliteClient = require(name)
  // only the first database loads the native part
  new Client(':memory:').close()
  return { name, open: (path) => new Client(path) }
}

/** Gives a short reason why a module does not load. */
function toReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  // only a clone has the module for Node 20
  if (/^Cannot find module 'better-sqlite3-12'/.test(message)) return 'needs Node 22 or newer'
  if (/^Cannot find module/.test(message)) return 'is not installed'
  if (/^Could not locate the bindings file/.test(message)) return 'has no binary here'
  return `cannot be loaded (${message.split('\n', 1)[0]})`
}

/**
 * Loads better-sqlite3 where this Node has a binary of it, else libsql. One log line names the module and
 * the reason; the error itself is logged at level debug.
 *
 * @param options.engine uses only this one, for suites that run on both
 * @param options.loadEngine loads a module @default from the installation
 */
export function loadSqliteEngine(options: {
  readonly logger: Logger
  readonly engine?: SqliteEngine | undefined
  readonly loadEngine?: ((name: SqliteEngine) => LoadedEngine) | undefined
}): LoadedEngine {
  const { logger, engine, loadEngine = load } = options
  if (engine !== undefined) return loadEngine(engine)
  try {
    return loadEngine(FASTEST)
  } catch (error) {
    logger.info({}, `libsql opens the database: better-sqlite3, which reads twice as fast, ${toReason(error)}`)
    logger.debug({ err: error }, 'better-sqlite3 does not load')
    return loadEngine('libsql')
  }
}
