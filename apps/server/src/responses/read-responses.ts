import { and, desc, eq, gt, lte, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import { leaseClock } from '../db/lease-clock.ts'
import type { Clock } from '../ports.ts'
import { type ResponseRow, type Responses, RUNNING, toEventRow, toStored } from './response-rows.ts'
import type { Reader, ResponseStore } from './stored-response.ts'

/** Parts of {@link createResponseReads}. */
export interface ResponseReadsOptions {
  readonly database: Pick<Database, 'queries' | 'dialect'>
  readonly clock: Clock
  /** Time for which responses are kept, milliseconds; 0 = no limit in time. */
  readonly ttlMs: () => number
  /** Marks a running response as failed when its server is gone. */
  readonly failRun: (row: ResponseRow) => Promise<void>
}

/** The reading half of the store. */
export interface ResponseReads extends Pick<ResponseStore, 'read' | 'readEvents' | 'findItem'> {
  /** Finds the row of a response that the reader may see. */
  find(id: string, reader: Reader): Promise<ResponseRow | undefined>
}

/** Creates the reading half of the store. */
export function createResponseReads({ database, clock, ttlMs, failRun }: ResponseReadsOptions): ResponseReads {
  const { queries } = database
  const isKept = ({ createdAt }: Responses): SQL | undefined =>
    ttlMs() === 0 ? undefined : gt(createdAt, clock.now() - ttlMs())
  const mayRead = ({ owner }: Responses, { id, isAdmin }: Reader): SQL | undefined =>
    isAdmin ? undefined : eq(owner, id)

  async function find(id: string, reader: Reader): Promise<ResponseRow | undefined> {
    const [row] = await queries.rows((db, { responses }) =>
      db
        .select()
        .from(responses)
        .where(and(eq(responses.id, id), mayRead(responses, reader), isKept(responses))),
    )
    return row
  }

  /** Whether the server of a running response is gone. */
  async function isOverdue(id: string): Promise<boolean> {
    const rows = await queries.rows((db, { responses }) =>
      db
        .select({ id: responses.id })
        .from(responses)
        .where(and(eq(responses.id, id), lte(responses.leaseUntil, leaseClock(database, clock)))),
    )
    return rows.length > 0
  }

  return {
    find,
    async read(id, reader) {
      const row = await find(id, reader)
      if (row === undefined) return undefined
      if (!RUNNING.includes(row.status) || !(await isOverdue(id))) return toStored(row)
      await failRun(row)
      const failed = await find(id, reader)
      return failed && toStored(failed)
    },
    async readEvents(id, after) {
      const [holding] = await queries.rows((db, { responseEvents }) =>
        db
          .select()
          .from(responseEvents)
          .where(and(eq(responseEvents.responseId, id), lte(responseEvents.firstSequence, after + 1)))
          .orderBy(desc(responseEvents.firstSequence))
          .limit(1),
      )
      const found = holding && toEventRow(holding)
      if (found !== undefined && found.firstSequence + found.frames.length - 1 > after) return found
      const [next] = await queries.rows((db, { responseEvents }) =>
        db
          .select()
          .from(responseEvents)
          .where(and(eq(responseEvents.responseId, id), gt(responseEvents.firstSequence, after + 1)))
          .orderBy(responseEvents.firstSequence)
          .limit(1),
      )
      return next && toEventRow(next)
    },
    async findItem(id, reader) {
      // Several responses may have an id that clients chose: the reader's own take precedence.
      const [found] = await queries.rows((db, { responses, responseItems }) =>
        db
          .select({ responseId: responseItems.responseId })
          .from(responseItems)
          .innerJoin(responses, eq(responses.id, responseItems.responseId))
          .where(and(eq(responseItems.id, id), mayRead(responses, reader), isKept(responses)))
          .orderBy(sql`CASE WHEN ${responses.owner} = ${reader.id} THEN 0 ELSE 1 END`, responses.createdAt)
          .limit(1),
      )
      const stored = found && (await find(found.responseId, reader))
      if (stored === undefined) return undefined
      const { input, resource } = toStored(stored)
      return [...input, ...resource.output].find((item) => item.id === id)
    },
  }
}
