import { SvcError } from '@svc/errors'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { Clock } from '../ports.ts'
import { isLocked, toDatabaseError } from './database-error.ts'
import type { Tables } from './schema.ts'

/** Builds queries: drizzle's own builder for either dialect. */
export type QueryBuilder = Pick<
  BetterSQLite3Database<Tables>,
  'select' | 'selectDistinct' | 'insert' | 'update' | 'delete'
>

/** Short queries, written once for both dialects. */
export interface Queries {
  /**
   * Gives the rows of a query, typed by its tables. A query that writes belongs into a transaction.
   *
   * @throws {SvcError} `unavailable` while the database is away, `insufficient_storage`, else `internal`
   */
  rows<Row>(build: (db: QueryBuilder, tables: Tables) => { all(): Row[] }): Promise<readonly Row[]>
  /** Runs a query that writes. @returns the number of written rows; @throws as {@link Queries.rows} */
  change(build: (db: QueryBuilder, tables: Tables) => { run(): { readonly changes: number } }): Promise<number>
  /** Notifies processes that listen to a channel, at the end of the transaction; PostgreSQL only. */
  notify?(channel: string): Promise<void>
}

/** Tables that a start looks into, because an empty one spares it the part that owns the table. */
export const START_TABLES = [
  'instance',
  'operations',
  'auth_usage_records',
  'auth_usage_sums',
  'auth_limits',
  'responses',
  'document_stores',
  'agents',
  'agent_tasks',
  'agent_jobs',
] as const

type StartTable = (typeof START_TABLES)[number]

/** The queries of a database. */
export interface DatabaseQueries extends Queries {
  /**
   * Runs work whose queries all succeed or have no effect. The work awaits only its own queries and nothing slow: on
   * SQLite every other query waits meanwhile. A query of the database itself inside of it waits for ever.
   *
   * @throws the error of the work, after the rollback; as {@link Queries.rows}
   */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>
  /** Whether a table has any row. It needs no query builder. @throws as {@link Queries.rows} */
  holdsRows(table: StartTable): Promise<boolean>
  /** Reads a fact of the installation, if there is one. It needs no query builder. @throws as {@link Queries.rows} */
  readFact(key: string): Promise<string | undefined>
}

/** Maximum number of queries that wait for an open transaction. */
const MAX_WAITING = 10_000

/** Runs a query. @throws {SvcError} the error that a failure of the database means to the caller */
export async function guarded<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toDatabaseError(error)
  }
}

/** Runs work again while another program has the file locked. */
type LockPatience = <T>(work: () => T | Promise<T>) => Promise<T>

/** Longest wait for a lock of another program. */
const WAIT_MS = 5000
const LOOK_MS = 25

/**
 * Waits for locks without holding up the event loop, as the engine's own timeout would. A lock that lasts longer fails
 * all work at once until it is gone.
 */
function createLockPatience(clock: Pick<Clock, 'monotonic' | 'sleep'>): LockPatience {
  const { signal } = new AbortController()
  let lockedSince: number | undefined
  return async (work) => {
    for (;;) {
      try {
        const result = await work()
        lockedSince = undefined
        return result
      } catch (error) {
        if (!isLocked(error)) throw error
        lockedSince ??= clock.monotonic()
        if (clock.monotonic() - lockedSince >= WAIT_MS) throw error
      }
      await clock.sleep(LOOK_MS, { signal })
    }
  }
}

/** Parts of {@link createSqliteQueries}. */
export interface SqliteQueryParts {
  /** Gives the builder and its tables; the first call loads them. */
  readonly load: () => Promise<{ readonly orm: BetterSQLite3Database<Tables>; readonly tables: Tables }>
  /** Runs a statement without a result. */
  readonly execute: (statement: string) => void
  /** Gives the first column of the first row. */
  readonly firstValue: (statement: string, ...values: readonly string[]) => unknown
  /** Throws when the file may not be used any more. */
  readonly checkAccess: () => void
  readonly clock: Clock
}

/** Queries of a SQLite file: one connection, so one after the other. The first of them loads their builder. */
export function createSqliteQueries({
  load,
  execute,
  firstValue,
  checkAccess,
  clock,
}: SqliteQueryParts): DatabaseQueries {
  const patiently = createLockPatience(clock)
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  /**
   * Runs work without other queries in between, because drizzle's own transaction takes no asynchronous function here.
   */
  async function alone<T>(work: () => T | Promise<T>): Promise<T> {
    if (waiting >= MAX_WAITING)
      throw new SvcError('unavailable', 'the database is busy', { code: 'database_busy', retryAfterMs: 1000 })
    waiting += 1
    const turn = last.then(() => {
      checkAccess()
      return work()
    })
    last = turn.then(noted, noted)
    return turn
  }
  const noted = (): void => {
    waiting -= 1
  }
  const queries: Queries = {
    async rows(build) {
      const { orm, tables } = await load()
      return guarded(() => build(orm, tables).all())
    },
    async change(build) {
      const { orm, tables } = await load()
      return guarded(() => build(orm, tables).run().changes)
    },
  }
  /** Work with the write lock. libsql never ends a prepared statement that meets a lock, so none may meet one. */
  async function locked<T>(work: () => Promise<T>): Promise<T> {
    await load()
    await guarded(() => patiently(() => execute('BEGIN IMMEDIATE')))
    try {
      const result = await work()
      await guarded(() => execute('COMMIT'))
      return result
    } catch (error) {
      // A failure may have ended it already, a full disk for one.
      await guarded(() => execute('ROLLBACK')).catch(() => undefined)
      throw error
    }
  }
  return {
    rows: (build) => alone(() => queries.rows(build)),
    change: (build) => alone(() => locked(() => queries.change(build))),
    transaction: (work) => alone(() => locked(() => work(queries))),
    holdsRows: (table) => alone(() => guarded(() => firstValue(`SELECT 1 FROM ${table} LIMIT 1`) !== undefined)),
    readFact: (key) =>
      alone(() =>
        guarded(() => {
          const value = firstValue('SELECT value FROM instance WHERE key = ?', key)
          return value === undefined ? undefined : String(value)
        }),
      ),
  }
}
