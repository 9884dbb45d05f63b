import { inArray, lte, sum } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import type { Clock } from '../ports.ts'
import { BATCH } from './response-rows.ts'

/** Limit of everything stored, in bytes (decisions: 1 GiB). */
const MAX_TOTAL_BYTES = 1024 ** 3

/** Parts of {@link createTrimming}. */
export interface TrimmingOptions {
  readonly queries: Database['queries']
  readonly clock: Clock
  /** Time for which responses are kept, milliseconds; 0 = no limit in time. */
  readonly ttlMs: () => number
  /** @default 1 GiB */
  readonly maxTotalBytes?: number | undefined
}

/** Removes responses. */
export interface Trimming {
  remove(ids: readonly string[]): Promise<void>
  /** Removes expired responses, and the oldest ones above the limit. */
  trim(): Promise<void>
  /** Counts stored bytes. Trims after a sixteenth of the limit has been added. */
  count(bytes: number): Promise<void>
}

/** Creates the trimming of stored responses. */
export function createTrimming({ queries, clock, ttlMs, maxTotalBytes = MAX_TOTAL_BYTES }: TrimmingOptions): Trimming {
  /** Bytes stored since the last check of the total. */
  let grown = 0

  async function remove(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    const all = [...ids]
    await queries.transaction(async (transaction) => {
      await transaction.change((db, { responseEvents }) =>
        db.delete(responseEvents).where(inArray(responseEvents.responseId, all)),
      )
      await transaction.change((db, { responseItems }) =>
        db.delete(responseItems).where(inArray(responseItems.responseId, all)),
      )
      await transaction.change((db, { responses }) => db.delete(responses).where(inArray(responses.id, all)))
    })
  }

  async function removeOld(): Promise<void> {
    const since = clock.now() - ttlMs()
    if (ttlMs() === 0) return
    for (;;) {
      const old = await queries.rows((db, { responses }) =>
        db.select({ id: responses.id }).from(responses).where(lte(responses.createdAt, since)).limit(BATCH),
      )
      await remove(old.map(({ id }) => id))
      if (old.length < BATCH) return
    }
  }

  async function trim(): Promise<void> {
    await removeOld()
    grown = 0
    const [whole] = await queries.rows((db, { responses }) =>
      db.select({ bytes: sum(responses.sizeBytes).mapWith(Number) }).from(responses),
    )
    let total = whole?.bytes ?? 0
    while (total > maxTotalBytes) {
      const oldest = await queries.rows((db, { responses }) =>
        db
          .select({ id: responses.id, sizeBytes: responses.sizeBytes })
          .from(responses)
          .orderBy(responses.createdAt)
          .limit(BATCH),
      )
      const surplus: string[] = []
      for (const { id, sizeBytes } of oldest) {
        if (total <= maxTotalBytes) break
        surplus.push(id)
        total -= sizeBytes
      }
      if (surplus.length === 0) break
      await remove(surplus)
    }
  }

  async function count(bytes: number): Promise<void> {
    grown += bytes
    if (grown > maxTotalBytes / 16) await trim()
  }

  return { remove, trim, count }
}
