import { and, eq, isNull, lte, or } from 'drizzle-orm'
import type { Replica } from '../contract/nodes.ts'
import { databaseNow } from '../nodes/database-time.ts'
import { inBatches } from './in-batches.ts'
import type { ReconcilerParts } from './reconciler-parts.ts'
import { stopReplica } from './stop-replica.ts'

/** Stops that one look carries out, and those that run at the same time. */
const PER_LOOK = 256
const STOPPED = 16
/** Longest wait for the running requests of a replica that is to stop, milliseconds. */
const DRAIN_MS = 10 * 60_000

type Parts = Pick<ReconcilerParts, 'replicas' | 'messenger' | 'database' | 'clock' | 'logger'>

/** Stops replicas that are on their way out, as often as it takes. */
export interface StopRetries {
  /** Stops those that are due and have no running requests. */
  look(signal: AbortSignal): Promise<void>
}

/** Creates the retries. */
export function createStopRetries({ replicas, messenger, database, clock, logger }: Parts): StopRetries {
  const now = databaseNow(database.dialect)
  /** Since when a replica waits for its requests, by its id; monotonic milliseconds. */
  let waiting: ReadonlyMap<string, number> = new Map()

  async function listDue(): Promise<readonly Replica[]> {
    const due = await database.queries.rows((db, { nodeReplicas: table }) =>
      db
        .select({ id: table.id })
        .from(table)
        .where(and(eq(table.state, 'unloading'), or(isNull(table.cleanupNextAt), lte(table.cleanupNextAt, now))))
        .orderBy(table.cleanupNextAt)
        .limit(PER_LOOK),
    )
    if (due.length === 0) return []
    const ids = new Set(due.map(({ id }) => id))
    return (await replicas.list()).filter(({ id }) => ids.has(id))
  }
  /** A replica whose stop was tried does not wait again. */
  function isFree({ id, inFlight, cleanupAttempts = 0 }: Replica): boolean {
    if (inFlight === 0 || cleanupAttempts > 0) return true
    return clock.monotonic() - (waiting.get(id) ?? clock.monotonic()) >= DRAIN_MS
  }
  return {
    async look(signal) {
      if (!messenger.isConnected) return
      const due = await listDue()
      const free = due.filter(isFree)
      waiting = new Map(
        due.filter((replica) => !free.includes(replica)).map(({ id }) => [id, waiting.get(id) ?? clock.monotonic()]),
      )
      await inBatches(free, STOPPED, async (replica) => {
        try {
          await stopReplica(replica, { messenger, replicas, signal })
        } catch (error) {
          signal.throwIfAborted()
          logger.warn({ model: replica.model, err: error }, 'the stop of a replica could not be noted')
        }
      })
    },
  }
}
