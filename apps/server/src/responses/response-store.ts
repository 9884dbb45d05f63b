import type { ResponseInputItem, ResponseResource } from '@svc/wire/responses'
import { and, desc, eq, gt, inArray, lt, lte, type SQL, sql, sum } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import type { Queries } from '../db/queries.ts'
import type { Tables } from '../db/schema.ts'
import type { Clock } from '../ports.ts'
import { LEASE_MS } from './lease.ts'

/** Limit of everything stored, in bytes (decisions: 1 GiB). */
const MAX_TOTAL_BYTES = 1024 ** 3
/** Number of responses that are removed at a time. */
const BATCH = 200
/** More events than are ever unsaved: a client may have seen them of a run that was cut off. */
const UNSAVED_EVENTS = 1024

/** A reader of stored responses. */
export interface Reader {
  readonly id: string
  /** Whether the reader sees those of all owners. */
  readonly isAdmin: boolean
}

/** A stored response. */
export interface StoredResponse {
  readonly resource: ResponseResource
  /** The items of its own input, each with an id. */
  readonly input: readonly ResponseInputItem[]
  /** Whether it has events to replay. */
  readonly streamed: boolean
}

/** A stored response with its owner. */
export interface ResponseRecord extends StoredResponse {
  readonly owner: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** Events in order; each frame is one event as it is sent. */
export interface EventRow {
  readonly firstSequence: number
  readonly frames: readonly string[]
}

/**
 * Keeps responses in the server's database, for a time and up to a size. A reader does not find those of other owners.
 */
export interface ResponseStore {
  /** Inserts a response with its present events, all of them once it has ended. */
  insert(record: ResponseRecord, events: readonly string[]): Promise<void>
  /** Appends events of a running response. */
  appendEvents(id: string, events: EventRow): Promise<void>
  /** Stores the final state of a running response; a cancelled or deleted one stays so. */
  finish(resource: ResponseResource, events: EventRow): Promise<void>
  read(id: string, reader: Reader): Promise<StoredResponse | undefined>
  /** Gives the next events after a number; undefined when there are none so far. */
  readEvents(id: string, after: number): Promise<EventRow | undefined>
  /** Finds an item by its id. */
  findItem(id: string, reader: Reader): Promise<ResponseInputItem | undefined>
  /** Marks a response that another server runs as cancelled. */
  cancel(resource: ResponseResource): Promise<void>
  /** Deletes a response. @returns whether it existed */
  delete(id: string, reader: Reader): Promise<boolean>
  /** Renews the leases of running responses. @returns the ids of those that another server has cancelled */
  renew(ids: readonly string[]): Promise<readonly string[]>
  /** Fails responses that ran on a server that is gone. */
  failInterrupted(): Promise<void>
  /** Removes expired responses, and the oldest ones above the limit. */
  trim(): Promise<void>
}

/** Options of {@link createResponseStore}. */
export interface ResponseStoreOptions {
  readonly database: Database
  /** Time for which responses are kept, milliseconds; 0 = no limit in time. */
  readonly ttlMs: () => number
  readonly clock: Clock
  /** @default 1 GiB */
  readonly maxTotalBytes?: number | undefined
}

type Responses = Tables['responses']
type ResponseRow = Responses['$inferSelect']

/** States of a running response. */
const RUNNING = ['queued', 'in_progress']
const runs = ({ status }: Responses): SQL => inArray(status, RUNNING)

/** Creates the store on the server's database. */
export function createResponseStore(options: ResponseStoreOptions): ResponseStore {
  const { database, clock, ttlMs, maxTotalBytes = MAX_TOTAL_BYTES } = options
  const { queries } = database
  /** Bytes stored since the last check of the total. */
  let grown = 0

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

  /** Marks a running response as failed when its server is gone. */
  async function failRun(row: ResponseRow): Promise<void> {
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
          .where(and(eq(responses.id, id), runs(responses))),
      )
      if (changed > 0 && row.streamed === 1) await insertEvents(transaction, id, toFailedRow(resource, sequence))
    })
  }

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

  /** Checks the total again after a sixteenth of the limit has been added. */
  async function count(bytes: number): Promise<void> {
    grown += bytes
    if (grown > maxTotalBytes / 16) await trim()
  }

  return {
    async insert({ resource, input, streamed, owner, createdAt }, events) {
      const { id, status } = resource
      const texts = { resource: JSON.stringify(resource), input: JSON.stringify(input) }
      const sizeBytes = texts.resource.length + texts.input.length + measureSize(events)
      const leaseUntil = clock.now() + LEASE_MS
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
    async read(id, reader) {
      const row = await find(id, reader)
      if (row === undefined) return undefined
      if (!RUNNING.includes(row.status) || row.leaseUntil > clock.now()) return toStored(row)
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
    async cancel(resource) {
      await queries.change((db, { responses }) =>
        db
          .update(responses)
          .set({ status: 'cancelled', resource: JSON.stringify(resource) })
          .where(and(eq(responses.id, resource.id), runs(responses))),
      )
    },
    async delete(id, reader) {
      const row = await find(id, reader)
      if (row !== undefined) await remove([id])
      return row !== undefined
    },
    async renew(ids) {
      if (ids.length === 0) return []
      const leaseUntil = clock.now() + LEASE_MS
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
    async failInterrupted() {
      // a file has one server, so everything that ran in it before is gone
      const isOverdue = ({ leaseUntil }: Responses): SQL | undefined =>
        database.dialect === 'sqlite' ? undefined : lt(leaseUntil, clock.now())
      for (;;) {
        const gone = await queries.rows((db, { responses }) =>
          db
            .select()
            .from(responses)
            .where(and(runs(responses), isOverdue(responses)))
            .limit(BATCH),
        )
        for (const row of gone) await failRun(row)
        if (gone.length < BATCH) return
      }
    },
    trim,
  }
}

async function insertItems(
  queries: Queries,
  responseId: string,
  items: readonly { readonly id?: string | null | undefined }[],
): Promise<void> {
  const rows = items.flatMap(({ id }) => (id == null ? [] : [{ id, responseId }]))
  for (let start = 0; start < rows.length; start += BATCH) {
    const batch = rows.slice(start, start + BATCH)
    await queries.change((db, { responseItems }) => db.insert(responseItems).values(batch).onConflictDoNothing())
  }
}

async function insertEvents(queries: Queries, responseId: string, { firstSequence, frames }: EventRow): Promise<void> {
  const row = { responseId, firstSequence, frames: frames.join('') }
  await queries.change((db, { responseEvents }) => db.insert(responseEvents).values(row).onConflictDoNothing())
}

function measureSize(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0)
}

function toResource({ resource }: ResponseRow): ResponseResource {
  return JSON.parse(resource) as ResponseResource
}

function toStored(row: ResponseRow): StoredResponse {
  return {
    resource: toResource(row),
    input: JSON.parse(row.input) as ResponseInputItem[],
    streamed: row.streamed === 1,
  }
}

function toEventRow({ firstSequence, frames }: Tables['responseEvents']['$inferSelect']): EventRow {
  const texts = frames.split('\n\n').slice(0, -1)
  return { firstSequence, frames: texts.map((frame) => `${frame}\n\n`) }
}

function interrupted(resource: ResponseResource): ResponseResource {
  const message = 'the server stopped while the response was running'
  return { ...resource, status: 'failed', error: { code: 'server_error', message, type: 'server_error' } }
}

function toFailedRow(response: ResponseResource, sequence: number): EventRow {
  const data = JSON.stringify({ type: 'response.failed', sequence_number: sequence, response })
  return { firstSequence: sequence, frames: [`event: response.failed\ndata: ${data}\n\n`] }
}
