import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../db/database.ts'

/** The clock of the database, milliseconds since the epoch. Two servers whose clocks differ agree on it. */
export function databaseNow(dialect: Database['dialect']): SQL<number> {
  return dialect === 'postgres'
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`cast((julianday('now') - 2440587.5) * 86400000 as integer)`
}
