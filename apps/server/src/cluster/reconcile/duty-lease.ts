import { and, eq, lte, sql } from 'drizzle-orm'
import type { Database } from '../../db/database.ts'
import { databaseNow } from '../nodes/database-time.ts'

/** A duty that one of several servers has. It ends by itself when its server goes silent. */
export interface DutyLease {
  /** Takes the duty if nobody has it, or keeps it. @returns whether this server has it */
  claim(): Promise<boolean>
  /** Gives the duty back, so that another server need not wait. */
  release(): Promise<void>
}

/** Options of {@link createDutyLease}. */
export interface DutyLeaseOptions {
  readonly duty: string
  /** Id of this server. */
  readonly owner: string
  /** Silence after which another server takes the duty, milliseconds. */
  readonly leaseMs: number
}

/** The lease of a duty: a row, whose time is that of the last claim by the clock of the database. */
export function createDutyLease(
  { queries, dialect }: Pick<Database, 'queries' | 'dialect'>,
  { duty, owner, leaseMs }: DutyLeaseOptions,
): DutyLease {
  const now = databaseNow(dialect)
  const key = `duty:${duty}`
  return {
    async claim() {
      const rows = await queries.transaction((inside) =>
        inside.rows((db, { instance }) =>
          db
            .insert(instance)
            .values({ key, value: owner, updatedAt: now })
            .onConflictDoUpdate({
              target: instance.key,
              set: { value: owner, updatedAt: now },
              setWhere: sql`${instance.value} = ${owner} or ${lte(instance.updatedAt, sql`${now} - ${leaseMs}`)}`,
            })
            .returning({ key: instance.key }),
        ),
      )
      return rows.length > 0
    },
    async release() {
      await queries.change((db, { instance }) =>
        db.delete(instance).where(and(eq(instance.key, key), eq(instance.value, owner))),
      )
    },
  }
}
