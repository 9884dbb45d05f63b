import { SvcError } from '@svc/errors'
import { sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import { toDatabaseError } from './database-error.ts'
import { postgresTables, sqliteTables, type Tables } from './schema.ts'

/** Builds queries: drizzle's own builder for either dialect. */
export type QueryBuilder = Pick<BetterSQLite3Database<Tables>, 'select' | 'insert' | 'update' | 'delete'>

/** Short queries, written once for both dialects. */
export interface Queries {
  /**
   * Gives the rows of a query, typed by its tables.
   *
   * @throws {SvcError} `unavailable` while the database is away, `insufficient_storage`, else `internal`
   */
  rows<Row>(build: (db: QueryBuilder, tables: Tables) => { all(): Row[] }): Promise<readonly Row[]>
  /** Runs a query that writes. @returns the number of written rows; @throws as {@link Queries.rows} */
  change(build: (db: QueryBuilder, tables: Tables) => { run(): { readonly changes: number } }): Promise<number>
}

/** The queries of a database. */
export interface DatabaseQueries extends Queries {
  /**
   * Runs work whose queries all succeed or have no effect. The work awaits only its own queries and nothing slow: on
   * SQLite every other query waits meanwhile. A query of the database itself inside of it waits for ever.
   *
   * @throws the error of the work, after the rollback; as {@link Queries.rows}
   */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>
}

/** Maximum number of queries that wait for an open transaction. */
const MAX_WAITING = 10_000

async function guarded<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toDatabaseError(error)
  }
}

/**
 * Creates the queries of a SQLite file: one connection, so they run one after the other.
 *
 * @param options.checkAccess throws when the file may not be used any more
 */
export function createSqliteQueries({
  orm,
  checkAccess,
}: {
  readonly orm: BetterSQLite3Database<Tables>
  readonly checkAccess: () => void
}): DatabaseQueries {
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
    rows: (build) => guarded(() => build(orm, sqliteTables).all()),
    change: (build) => guarded(() => build(orm, sqliteTables).run().changes),
  }
  return {
    rows: (build) => alone(() => queries.rows(build)),
    change: (build) => alone(() => queries.change(build)),
    transaction: (work) =>
      alone(async () => {
        await guarded(() => orm.run(sql`BEGIN IMMEDIATE`))
        try {
          const result = await work(queries)
          await guarded(() => orm.run(sql`COMMIT`))
          return result
        } catch (error) {
          // The failure may have ended the transaction already, for example a full disk.
          await guarded(() => orm.run(sql`ROLLBACK`)).catch(() => undefined)
          throw error
        }
      }),
  }
}

type PostgresOrm = Pick<PostgresJsDatabase<typeof postgresTables>, 'select' | 'insert' | 'update' | 'delete'>

/** Creates the queries of a PostgreSQL database. */
export function createPostgresQueries(orm: PostgresJsDatabase<typeof postgresTables>): DatabaseQueries {
  const on = (db: PostgresOrm): Queries => {
    // The builders of both dialects have the same methods. This one is awaited; that of SQLite is run by a call.
    const [builder, tables] = [db as unknown as QueryBuilder, postgresTables as unknown as Tables]
    return {
      rows: (build) => guarded(async () => [...(await awaited<readonly never[]>(build(builder, tables)))]),
      change: (build) => guarded(async () => (await awaited<{ readonly count: number }>(build(builder, tables))).count),
    }
  }
  return {
    ...on(orm),
    async transaction(work) {
      let failure: { readonly error: unknown } | undefined
      try {
        return await orm.transaction((transaction) =>
          work(on(transaction)).catch((error: unknown) => {
            failure = { error }
            throw error
          }),
        )
      } catch (error) {
        throw failure === undefined ? toDatabaseError(error) : failure.error
      }
    },
  }
}

function awaited<T>(query: unknown): PromiseLike<T> {
  return query as PromiseLike<T>
}
