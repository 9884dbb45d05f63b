import { sql } from 'drizzle-orm'
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import { toDatabaseError } from './database-error.ts'
import { type DatabaseQueries, guarded, type Queries, type QueryBuilder } from './queries.ts'
import { postgresTables, type Tables } from './schema.ts'

type PostgresOrm = Pick<
  PostgresJsDatabase<typeof postgresTables>,
  'select' | 'insert' | 'update' | 'delete' | 'execute'
>

/** Queries of a PostgreSQL database. */
export function createPostgresQueries(orm: PostgresJsDatabase<typeof postgresTables>): DatabaseQueries {
  const on = (db: PostgresOrm): Queries => {
    // The builders of both dialects have the same methods. Here they are awaited, where those of SQLite are told to run.
    const [builder, tables] = [db as unknown as QueryBuilder, postgresTables as unknown as Tables]
    return {
      rows: (build) => guarded(async () => [...(await awaited<readonly never[]>(build(builder, tables)))]),
      change: (build) => guarded(async () => (await awaited<{ readonly count: number }>(build(builder, tables))).count),
      notify: (channel) => guarded(async () => void (await db.execute(sql`SELECT pg_notify(${channel}, '')`))),
    }
  }
  return {
    ...on(orm),
    holdsRows: (table) =>
      guarded(async () => (await orm.execute(sql`SELECT 1 FROM ${sql.identifier(table)} LIMIT 1`)).length > 0),
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
