import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import { leaseClock } from '../db/lease-clock.ts'
import type { Clock } from '../ports.ts'
import { LEASE_MS } from './lease.ts'
import { insertEvents, insertItems, measureSize, runs } from './response-rows.ts'
import type { ResponseStore } from './stored-response.ts'

/** Parts of {@link createResponseWrites}. */
export interface ResponseWritesOptions {
  readonly database: Pick<Database, 'queries' | 'dialect'>
  readonly clock: Clock
  /** Called with the size of everything that was stored. */
  readonly count: (bytes: number) => Promise<void>
}

/** The writing half of the store. */
export type ResponseWrites = Pick<ResponseStore, 'insert' | 'appendEvents' | 'finish' | 'cancel' | 'renew'>

/** Creates the writing half of the store. */
export function createResponseWrites({ database, clock, count }: ResponseWritesOptions): ResponseWrites {
  const { queries } = database
  const lease = (): SQL => sql`${leaseClock(database, clock)} + ${LEASE_MS}`
  return {
    async insert({ resource, input, streamed, owner, createdAt }, events) {
      const { id, status } = resource
      const texts = { resource: JSON.stringify(resource), input: JSON.stringify(input) }
      const sizeBytes = texts.resource.length + texts.input.length + measureSize(events)
      const leaseUntil = lease()
      await queries.transaction(async (transaction) => {
        await transaction.change((db, { responses }) =>
          db
            .insert(responses)
            .values({ id, owner, status, createdAt, leaseUntil, sizeBytes, streamed: streamed ? 1 : 0, ...texts }),
        )
        await insertItems(transaction, id, [...input, ...resource.output])
        if (events.length > 0) await insertEvents(transaction, id, { firstSequence: 0, frames: events })
      })
      await count(sizeBytes)
    },
    async appendEvents(id, events) {
      const size = measureSize(events.frames)
      await queries.transaction(async (transaction) => {
        await insertEvents(transaction, id, events)
        await transaction.change((db, { responses }) =>
          db
            .update(responses)
            .set({ sizeBytes: sql`${responses.sizeBytes} + ${size}` })
            .where(eq(responses.id, id)),
        )
      })
      await count(size)
    },
    async finish(resource, events) {
      const { id, status } = resource
      const text = JSON.stringify(resource)
      const size = text.length + measureSize(events.frames)
      const changed = await queries.transaction(async (transaction) => {
        const finished = await transaction.change((db, { responses }) =>
          db
            .update(responses)
            .set({ status, resource: text, sizeBytes: sql`${responses.sizeBytes} + ${size}` })
            .where(and(eq(responses.id, id), runs(responses))),
        )
        if (finished === 0) return 0
        await insertItems(transaction, id, resource.output)
        if (events.frames.length > 0) await insertEvents(transaction, id, events)
        return finished
      })
      if (changed > 0) await count(size)
    },
    async cancel(resource) {
      await queries.change((db, { responses }) =>
        db
          .update(responses)
          .set({ status: 'cancelled', resource: JSON.stringify(resource) })
          .where(and(eq(responses.id, resource.id), runs(responses))),
      )
    },
    async renew(ids) {
      if (ids.length === 0) return []
      const leaseUntil = lease()
      const renewed = await queries.change((db, { responses }) =>
        db
          .update(responses)
          .set({ leaseUntil })
          .where(and(inArray(responses.id, [...ids]), runs(responses))),
      )
      if (renewed === ids.length) return []
      const cancelled = await queries.rows((db, { responses }) =>
        db
          .select({ id: responses.id })
          .from(responses)
          .where(and(inArray(responses.id, [...ids]), eq(responses.status, 'cancelled'))),
      )
      return cancelled.map(({ id }) => id)
    },
  }
}
