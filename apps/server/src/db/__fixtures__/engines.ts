import { loadSqliteEngine, SQLITE_ENGINES, type SqliteEngine } from '../sqlite-engine.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {} }

function whyNot(engine: SqliteEngine): string | undefined {
  try {
    loadSqliteEngine({ logger: silent, engine })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message.split('\n', 1)[0] : String(error)
  }
}

/**
 * The SQLite engines of this machine: a clone has no binary of better-sqlite3 until `npm run build:sqlite` compiles it,
 * which `.ci/run` does first. libsql is always included.
 */
export const PRESENT_ENGINES: readonly SqliteEngine[] = SQLITE_ENGINES.filter((engine) => {
  const reason = whyNot(engine)
  if (reason !== undefined && engine === 'libsql') throw new Error(reason)
  if (reason !== undefined) console.warn(`the suites of ${engine} do not run: ${reason} (npm run build:sqlite)`)
  return reason === undefined
})
