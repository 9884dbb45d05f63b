import { and, desc, eq, lte, type SQL } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import { leaseClock } from '../db/lease-clock.ts'
import type { Clock } from '../ports.ts'
import {
  BATCH,
  insertEvents,
  interrupted,
  type ResponseRow,
  type Responses,
  runs,
  toEventRow,
  toFailedRow,
  toResource,
} from './response-rows.ts'

/** More events than are ever unsaved: a client may have seen them of a run that was cut off. */
const UNSAVED_EVENTS = 1024

/** Fails runs whose server is gone. */
export interface InterruptedRuns {
  /** Marks a running response as failed, if its server is still gone. */
  failRun(row: ResponseRow): Promise<void>
  /** Fails responses that ran on a server that is gone. */
  failInterrupted(): Promise<void>
}

/** Creates the end of interrupted runs. */
export function createInterruptedRuns({
  database,
  clock,
}: {
  readonly database: Database
  readonly clock: Clock
}): InterruptedRuns {
  const { queries } = database
  const isOverdue = ({ leaseUntil }: Responses): SQL => lte(leaseUntil, leaseClock(database, clock))

  async function failRun(row: ResponseRow): Promise<void> {
    await fail(row, isOverdue)
  }

  async function fail(row: ResponseRow, isGone: (responses: Responses) => SQL | undefined): Promise<void> {
    const { id } = row
    const resource = interrupted(toResource(row))
    await queries.transaction(async (transaction) => {
      const [last] = await transaction.rows((db, { responseEvents }) =>
        db
          .select()
          .from(responseEvents)
          .where(eq(responseEvents.responseId, id))
          .orderBy(desc(responseEvents.firstSequence))
          .limit(1),
      )
      const event = last && toEventRow(last)
      const sequence = event === undefined ? 0 : event.firstSequence + event.frames.length + UNSAVED_EVENTS
      const changed = await transaction.change((db, { responses }) =>
        db
          .update(responses)
          .set({ status: 'failed', resource: JSON.stringify(resource) })
          .where(and(eq(responses.id, id), runs(responses), isGone(responses))),
      )
      if (changed > 0 && row.streamed === 1) await insertEvents(transaction, id, toFailedRow(resource, sequence))
    })
  }

  return {
    failRun,
    async failInterrupted() {
      // a file has one server, so everything that ran in it before is gone
      const isGone = database.dialect === 'sqlite' ? () => undefined : isOverdue
      for (;;) {
        const gone = await queries.rows((db, { responses }) =>
          db
            .select()
            .from(responses)
            .where(and(runs(responses), isGone(responses)))
            .limit(BATCH),
        )
        for (const row of gone) await fail(row, isGone)
        if (gone.length < BATCH) return
      }
    },
  }
}
