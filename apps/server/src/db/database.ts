import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import type { Clock, Logger } from '../ports.ts'
import type { DatabaseQueries } from './queries.ts'
import type { postgresTables, sqliteTables } from './schema.ts'
import type { SqliteEngine } from './sqlite-engine.ts'

/** A row by its column names. */
export type DatabaseRow = Readonly<Record<string, unknown>>

/** A statement with bound parameters, as drizzle's `toSQL()` gives it. */
export interface ReadQuery {
  readonly sql: string
  readonly params?: readonly unknown[] | undefined
}

/** Options of a read. */
export interface ReadOptions {
  readonly signal: AbortSignal
  /** Maximum number of rows; a read that finds more fails with `too_many_rows`. @default 50000 */
  readonly maxRows?: number | undefined
}

interface OpenDatabase extends AsyncDisposable {
  /** Random id of this installation, created with the database. */
  readonly instanceId: string
  /**
   * Runs a heavy read: on SQLite on a thread, on PostgreSQL on at most two connections. Both give numbers as numbers.
   * At most 64 reads wait.
   *
   * @throws {SvcError} `unavailable` while the database is away, locked or too busy; the signal's reason after an abort
   */
  read(query: ReadQuery, options: ReadOptions): Promise<readonly DatabaseRow[]>
  /**
   * Short queries and transactions. They fail with `unavailable` when the folder of the file was deleted or replaced.
   */
  readonly queries: DatabaseQueries
  close(): Promise<void>
}

/** The server's database in a SQLite file: short queries run on the main thread. */
export interface SqliteDatabase extends OpenDatabase {
  readonly dialect: 'sqlite'
  readonly engine: SqliteEngine
  /** The query builder; the first call loads it. */
  orm(): Promise<BetterSQLite3Database<typeof sqliteTables>>
}

/** The server's database on a PostgreSQL server. */
export interface PostgresDatabase extends OpenDatabase {
  readonly dialect: 'postgres'
  readonly engine: 'postgres'
  readonly orm: PostgresJsDatabase<typeof postgresTables>
  /**
   * Listens to a channel until the database is closed, on a connection of its own.
   *
   * @param onNotice called with each notification, and when the connection is there again after it was lost
   */
  listen(channel: string, onNotice: () => void): Promise<void>
}

/** The server's database, by `dialect`. */
export type Database = SqliteDatabase | PostgresDatabase

/** Options of {@link openDatabase}. */
export interface DatabaseOptions {
  /** `postgres://…`, or the absolute path of a SQLite file. @default database.db in the data path */
  readonly url?: string | undefined
  readonly dataPath: string
  /** Stored in the database, so that an older version can name the newer one. */
  readonly appVersion: string
  readonly logger: Logger
  readonly clock: Clock
  /**
   * For a command: opens a database that a server of this version may have open already. @default false
   */
  readonly joinsServer?: boolean | undefined
  /** The one module that opens SQLite files. @default better-sqlite3, else libsql */
  readonly engine?: SqliteEngine | undefined
}
