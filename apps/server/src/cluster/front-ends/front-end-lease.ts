import { lt, sql } from 'drizzle-orm'
import { repeat } from '../../concurrency/repeat.ts'
import type { Database } from '../../db/database.ts'
import type { Clock, Logger } from '../../ports.ts'
import { databaseNow } from '../nodes/database-time.ts'

/** Time that a front end counts as alive after its last renewal, milliseconds. */
const FRONT_END_LEASE_MS = 30_000
const RENEW_MS = 10_000
/** Interval at which changed progress is written. */
const PROGRESS_MS = 2000
/** Time after which a front end that is gone is forgotten. */
const FORGET_AFTER_MS = 30 * 86_400_000

/** Options of {@link createFrontEndLease}. */
export interface FrontEndLeaseOptions {
  readonly database: Pick<Database, 'queries' | 'dialect'>
  /** Id of this server. */
  readonly id: string
  /** What others see of the work of this server: small and plain JSON. */
  readonly readProgress: () => Readonly<Record<string, unknown>>
  readonly clock: Clock
  readonly logger: Logger
}

/** The lease of this front end: others see by it that this server lives, and how far its work is. */
export interface FrontEndLease {
  /** Writes the lease now. @throws {SvcError} of the database */
  renew(): Promise<void>
  /** Renews the lease until the signal aborts. The lease then ends by itself, so that a restart goes unseen. */
  run(signal: AbortSignal): Promise<void>
}

/** Creates the lease of a front end. */
export function createFrontEndLease({
  database,
  id,
  readProgress,
  clock,
  logger,
}: FrontEndLeaseOptions): FrontEndLease {
  const { queries, dialect } = database
  const now = databaseNow(dialect)
  let written: { readonly progress: string; readonly at: number } | undefined
  let isFailing = false

  async function renew(): Promise<void> {
    const progress = JSON.stringify(readProgress())
    const row = { leaseUntil: sql<number>`${now} + ${FRONT_END_LEASE_MS}`, progress }
    await queries.change((db, { frontEnds }) =>
      db
        .insert(frontEnds)
        .values({ id, ...row })
        .onConflictDoUpdate({ target: frontEnds.id, set: row }),
    )
    written = { progress, at: clock.monotonic() }
  }

  async function renewWhenDue(): Promise<void> {
    const isDue = written === undefined || clock.monotonic() - written.at >= RENEW_MS
    if (!isDue && JSON.stringify(readProgress()) === written?.progress) return
    try {
      await renew()
      isFailing = false
    } catch (error) {
      if (!isFailing) logger.warn({ err: error }, 'lease of this server could not be renewed')
      isFailing = true
    }
  }

  return {
    renew,
    async run(signal) {
      await renewWhenDue()
      await queries
        .change((db, { frontEnds }) =>
          db.delete(frontEnds).where(lt(frontEnds.leaseUntil, sql<number>`${now} - ${FORGET_AFTER_MS}`)),
        )
        .catch(() => undefined)
      await repeat(PROGRESS_MS, renewWhenDue, { clock, signal })
    },
  }
}
