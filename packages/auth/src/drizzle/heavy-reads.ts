import type { CallOptions } from '../ports/clock.ts'
import type { DrizzleQueries, QueryBuilder } from './queries.ts'
import type { AuthTables } from './tables.ts'

/** A statement with its parameters bound, as drizzle's `toSQL()` gives it. */
export interface HeavyRead {
  readonly sql: string
  readonly params?: readonly unknown[] | undefined
}

/** Runs a heavy read where it holds up nobody. Rows come by their column names. */
export type ReadHeavily = (
  query: HeavyRead,
  options: CallOptions & { readonly maxRows?: number | undefined },
) => Promise<readonly Readonly<Record<string, unknown>>[]>

/** A query that may run either way. */
export interface HeavyQuery {
  all(): Readonly<Record<string, unknown>>[]
  toSQL(): HeavyRead
}

/** A query over many rows, and the column names of its fields as the statement has them. */
interface HeavyRows {
  readonly build: (db: QueryBuilder) => HeavyQuery
  readonly aliases: Readonly<Record<string, string>>
}

/** Reads over many rows: away from the other queries where there is a way, else with them. */
export function createHeavyRows(queries: DrizzleQueries, tables: AuthTables, readHeavily: ReadHeavily | undefined) {
  return async (
    { build, aliases }: HeavyRows,
    options: CallOptions & { readonly maxRows?: number | undefined },
  ): Promise<readonly Readonly<Record<string, unknown>>[]> => {
    options.signal.throwIfAborted()
    if (readHeavily === undefined) return queries.rows(build)
    let statement: HeavyRead | undefined
    // the builder belongs to the queries: it is asked for the statement and runs nothing that counts
    await queries.rows((db) => {
      statement = build(db).toSQL()
      return db.select({ key: tables.facts.key }).from(tables.facts).limit(1)
    })
    if (statement === undefined) return []
    const rows = await readHeavily(statement, options)
    const names = Object.entries(aliases)
    return rows.map((row) => Object.fromEntries(names.map(([name, alias]) => [name, row[alias]])))
  }
}
