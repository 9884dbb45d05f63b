import { sql } from 'drizzle-orm'
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import { toDatabaseError } from './database-error.ts'
import type { PostgresClient } from './postgres-client.ts'
import { type DatabaseQueries, guarded, type Queries, type QueryBuilder } from './queries.ts'
import { postgresTables, type Tables } from './schema.ts'
import type { WatchedClient } from './watched-client.ts'

type PostgresOrm = Pick<
  PostgresJsDatabase<typeof postgresTables>,
  'select' | 'insert' | 'update' | 'delete' | 'execute'
>

/**
 * Ends the transaction of a server that went away without a word, as with its machine: its locks stop all others, and the
 * database may notice only hours later.
 */
const BOUND_SILENCE = sql.raw("SET LOCAL idle_in_transaction_session_timeout = '30s'")

/** Queries of a PostgreSQL database. */
export function createPostgresQueries(client: Pick<WatchedClient<PostgresClient>, 'run'>): DatabaseQueries {
  return {
    rows: (build) => client.run(({ orm }) => on(orm).rows(build)),
    change: (build) => client.run(({ orm }) => on(orm).change(build)),
    notify: (channel) => client.run(({ orm }) => on(orm).notify(channel)),
    holdsRows: (table) =>
      guarded(() =>
        client.run(
          async ({ orm }) => (await orm.execute(sql`SELECT 1 FROM ${sql.identifier(table)} LIMIT 1`)).length > 0,
        ),
      ),
    readFact: (key) =>
      guarded(() =>
        client.run(async ({ orm }) => {
          const [row] = await orm.execute(sql`SELECT value FROM instance WHERE key = ${key}`)
          return row === undefined ? undefined : String(row.value)
        }),
      ),
    async transaction(work) {
      let failure: { readonly error: unknown } | undefined
      try {
        return await client.run(({ orm }, { beat }) =>
          orm.transaction(async (transaction) => {
            const [result] = await Promise.all([
              work(on(transaction, beat)).catch((error: unknown) => {
                failure = { error }
                throw error
              }),
              // An option of the connection may be refused by a pooler. After a statement that failed, this one fails too.
              transaction.execute(BOUND_SILENCE).catch(() => undefined),
            ])
            return result
          }),
        )
      } catch (error) {
        throw failure === undefined ? toDatabaseError(error) : failure.error
      }
    },
  }
}

/** @param onStatement called before each query */
function on(db: PostgresOrm, onStatement: () => void = () => undefined): Required<Queries> {
  // The builders of both dialects have the same methods. Here they are awaited; those of SQLite are run by a call.
  const [builder, tables] = [db as unknown as QueryBuilder, postgresTables as unknown as Tables]
  return {
    rows: (build) =>
      guarded(async () => {
        onStatement()
        return [...(await awaited<readonly never[]>(build(builder, tables)))]
      }),
    change: (build) =>
      guarded(async () => {
        onStatement()
        return (await awaited<{ readonly count: number }>(build(builder, tables))).count
      }),
    notify: (channel) =>
      guarded(async () => {
        onStatement()
        await db.execute(sql`SELECT pg_notify(${channel}, '')`)
      }),
  }
}

function awaited<T>(query: unknown): PromiseLike<T> {
  return query as PromiseLike<T>
}
