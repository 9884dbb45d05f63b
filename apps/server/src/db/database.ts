import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import type { Clock, Logger } from '../ports.ts'
import type { DatabaseQueries } from './queries.ts'
import type { postgresTables, sqliteTables } from './schema.ts'
import type { SqliteEngine } from './sqlite-engine.ts'

/** A row by its column names. */
export type DatabaseRow = Readonly<Record<string, unknown>>

/** A statement with its parameters bound: what drizzle's `toSQL()` gives. */
export interface ReadQuery {
  readonly sql: string
  readonly params?: readonly unknown[] | undefined
}

/** How a read is run. */
export interface ReadOptions {
  readonly signal: AbortSignal
  /** A read that finds more fails with `too_many_rows`. @default 50000 */
  readonly maxRows?: number | undefined
}

interface OpenDatabase extends AsyncDisposable {
  /** Random id of this installation, made with the database. */
  readonly instanceId: string
  /**
   * Runs a heavy read: on SQLite on a thread of its own, on PostgreSQL on at most two connections. Numbers come as
   * numbers in both. At most 64 wait.
   *
   * @throws {SvcError} `unavailable` while the database is away, locked or too busy; the signal's reason after an abort
   */
  read(query: ReadQuery, options: ReadOptions): Promise<readonly DatabaseRow[]>
  /** Short queries and transactions. Those of a file whose folder was deleted or replaced fail with `unavailable`. */
  readonly queries: DatabaseQueries
  close(): Promise<void>
}

/** The server's database when it is a SQLite file: short queries run on the main thread. */
export interface SqliteDatabase extends OpenDatabase {
  readonly dialect: 'sqlite'
  readonly engine: SqliteEngine
  /** The query builder; the first call loads it. */
  orm(): Promise<BetterSQLite3Database<typeof sqliteTables>>
}

/** The server's database when it is PostgreSQL: queries go to the server. */
export interface PostgresDatabase extends OpenDatabase {
  readonly dialect: 'postgres'
  readonly engine: 'postgres'
  readonly orm: PostgresJsDatabase<typeof postgresTables>
}

/** The server's database, by `dialect`. */
export type Database = SqliteDatabase | PostgresDatabase

/** What opening a database needs. */
export interface DatabaseOptions {
  /** `postgres://…`, or the absolute path of a SQLite file. @default database.db in the data path */
  readonly url?: string | undefined
  readonly dataPath: string
  /** Kept in the database, so that an older version can say which newer one it met. */
  readonly appVersion: string
  readonly logger: Logger
  readonly clock: Clock
  /** The one module that opens SQLite files. @default better-sqlite3, else libsql */
  readonly engine?: SqliteEngine | undefined
}
