import { type SQL, sql } from 'drizzle-orm'
import type { Clock } from '../ports.ts'
import type { Database } from './database.ts'

/** Time by which leases are compared: that of the database server, where several servers share one. */
export function leaseClock({ dialect }: Pick<Database, 'dialect'>, clock: Pick<Clock, 'now'>): SQL<number> {
  return dialect === 'postgres'
    ? sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`
    : sql<number>`${Math.trunc(clock.now())}`
}
