import {
  createTableRelationsHelpers,
  type ExtractTablesWithRelations,
  extractTablesRelationalConfig,
} from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { BetterSQLiteSession } from 'drizzle-orm/better-sqlite3/session'
import { BaseSQLiteDatabase, SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import { sqliteTables as schema } from './schema.ts'
import type { SqliteClient } from './sqlite-engine.ts'

/** Builds and runs queries of a SQLite file. */
export type SqliteOrm = BetterSQLite3Database<typeof schema>

/** The tables of a SQLite file. */
export const tables = schema

/**
 * drizzle over an open file. Its own constructor function imports better-sqlite3, which may not be there; the parts it is
 * made of do not.
 */
export function createSqliteOrm(client: SqliteClient): SqliteOrm {
  const dialect = new SQLiteSyncDialect()
  const { tables, tableNamesMap } = extractTablesRelationalConfig<ExtractTablesWithRelations<typeof schema>>(
    schema,
    createTableRelationsHelpers,
  )
  const config = { fullSchema: schema, schema: tables, tableNamesMap }
  return new BaseSQLiteDatabase('sync', dialect, new BetterSQLiteSession(client, dialect, config), config)
}
