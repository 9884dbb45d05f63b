import { SvcError } from '@svc/errors'
import { sql } from 'drizzle-orm'
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core'
import { AuthError } from '../errors.ts'

/** Result of a statement that writes. */
export interface WriteResult {
  readonly changes: number
}

/** A drizzle database over a SQLite driver that answers at once, such as better-sqlite3 or libsql. */
// biome-ignore lint/suspicious/noExplicitAny: the result of `run` belongs to the driver, and the schema to its user
export type SqliteOrm = BaseSQLiteDatabase<'sync', any, any>

/** A drizzle database over postgres-js. */
// biome-ignore lint/suspicious/noExplicitAny: the schema belongs to its user
export type PostgresOrm = PgDatabase<PgQueryResultHKT, any>

/** Drizzle's builder; queries are written for SQLite and run on either database. */
export type QueryBuilder = Pick<BaseSQLiteDatabase<'sync', WriteResult>, 'select' | 'insert' | 'update' | 'delete'>

/** Runs queries. */
export interface Queries {
  rows<Row>(build: (db: QueryBuilder) => { all(): Row[] }): Promise<readonly Row[]>
  /** @returns how many rows were written */
  change(build: (db: QueryBuilder) => { run(): WriteResult }): Promise<number>
  /** Notifies processes that listen to a channel, at the end of the transaction. Absent where the database cannot. */
  notify?(channel: string): Promise<void>
}

/**
 * Runs queries, and some of them together. Failures of the database must be `SvcError`s of the kind `unavailable` where
 * another try may help: they say nothing about the caller.
 */
export interface DrizzleQueries extends Queries {
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>
}

const MAX_WAITING = 10_000
const RETRY_AFTER_MS = 1000

function toStoreError(cause: unknown): SvcError {
  if (SvcError.is(cause)) return cause
  return new AuthError('unavailable', 'the database cannot be used', {
    code: 'database_unavailable',
    cause,
    retryAfterMs: RETRY_AFTER_MS,
  })
}

async function guarded<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toStoreError(error)
  }
}

/**
 * Queries on a SQLite database, one after the other: statements of others must not fall into a transaction that waits.
 * At most 10,000 wait. Nobody else may write through the connection.
 */
export function createSqliteQueries(orm: SqliteOrm): DrizzleQueries {
  const builder = orm as unknown as QueryBuilder
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  const leave = (): void => {
    waiting -= 1
  }
  async function alone<T>(work: () => T | Promise<T>): Promise<T> {
    if (waiting >= MAX_WAITING)
      throw new AuthError('unavailable', 'the database is busy', {
        code: 'database_busy',
        retryAfterMs: RETRY_AFTER_MS,
      })
    waiting += 1
    const turn = last.then(work)
    last = turn.then(leave, leave)
    return turn
  }
  const queries: Queries = {
    rows: (build) => guarded(() => build(builder).all()),
    change: (build) => guarded(() => build(builder).run().changes),
  }
  const run = (statement: string): Promise<unknown> => guarded(() => orm.run(sql.raw(statement)))
  return {
    rows: (build) => alone(() => queries.rows(build)),
    change: (build) => alone(() => queries.change(build)),
    transaction: (work) =>
      alone(async () => {
        await run('BEGIN IMMEDIATE')
        try {
          const result = await work(queries)
          await run('COMMIT')
          return result
        } catch (error) {
          // a failure may have ended it already, a full disk for one
          await run('ROLLBACK').catch(() => undefined)
          throw error
        }
      }),
  }
}

function onBuilder(db: Pick<PostgresOrm, 'select' | 'insert' | 'update' | 'delete' | 'execute'>): Queries {
  // the builders of both dialects have the same methods; a query is awaited here, and on SQLite a method runs it
  const builder = db as unknown as QueryBuilder
  const awaited = async <T>(query: unknown): Promise<T> => query as PromiseLike<T>
  return {
    rows: (build) => guarded(async () => [...(await awaited<readonly never[]>(build(builder)))]),
    change: (build) => guarded(async () => (await awaited<{ readonly count: number }>(build(builder))).count),
    notify: (channel) => guarded(async () => void (await db.execute(sql`SELECT pg_notify(${channel}, '')`))),
  }
}

/** Queries on PostgreSQL, over postgres-js. */
export function createPostgresQueries(orm: PostgresOrm): DrizzleQueries {
  return {
    ...onBuilder(orm),
    async transaction(work) {
      let failure: { readonly error: unknown } | undefined
      try {
        return await orm.transaction((transaction) =>
          work(onBuilder(transaction)).catch((error: unknown) => {
            failure = { error }
            throw error
          }),
        )
      } catch (error) {
        throw failure === undefined ? toStoreError(error) : failure.error
      }
    },
  }
}
