import type { ResponseInputItem, ResponseResource } from '@svc/wire/responses'
import { type SQL, sql } from 'drizzle-orm'
import type { Database, DatabaseRow } from '../db/database.ts'
import { createStatements } from '../db/statements.ts'
import type { Clock } from '../ports.ts'

/** How long a running response counts as alive after its server last said so, milliseconds. */
export const LEASE_MS = 30_000
/** Everything that is stored, bytes (decisions: 1 GiB). */
const MAX_TOTAL_BYTES = 1024 ** 3
/** Responses that are removed at a time. */
const BATCH = 200
/** More events than are unsaved at any moment: what a client may have seen of a run that was cut off. */
const UNSAVED_EVENTS = 1024

/** Who asks for a stored response. */
export interface Reader {
  readonly id: string
  /** Sees those of everybody. */
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

/** A response that is stored, with whom it belongs to. */
export interface ResponseRecord extends StoredResponse {
  readonly owner: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** Events in their order; each frame is one of them as it is sent. */
export interface EventRow {
  readonly firstSequence: number
  readonly frames: readonly string[]
}

/** Where responses are kept: in the server's database, for a time and up to a size. Another user's are not there. */
export interface ResponseStore {
  /** A response with all its events at once; of one that still runs what there is. */
  insert(record: ResponseRecord, events: readonly string[]): Promise<void>
  /** More events of a running response. */
  appendEvents(id: string, events: EventRow): Promise<void>
  /** What a running response has become; one that was cancelled or deleted meanwhile stays so. */
  finish(resource: ResponseResource, events: EventRow): Promise<void>
  read(id: string, reader: Reader): Promise<StoredResponse | undefined>
  /** The next events after a number; undefined when there are none so far. */
  readEvents(id: string, after: number): Promise<EventRow | undefined>
  /** An item by its id. */
  findItem(id: string, reader: Reader): Promise<ResponseInputItem | undefined>
  /** Marks a response that another server runs as cancelled. */
  cancel(resource: ResponseResource): Promise<void>
  /** Whether it was there. */
  delete(id: string, reader: Reader): Promise<boolean>
  /** Says that these still run. */
  renew(ids: readonly string[]): Promise<void>
  /** Fails what ran on a server that is gone. */
  failInterrupted(): Promise<void>
  /** Removes what is too old, and the oldest of what is too much. */
  trim(): Promise<void>
}

/** What {@link createResponseStore} needs. */
export interface ResponseStoreOptions {
  readonly database: Database
  /** How long responses are kept, milliseconds; 0 = no limit in time. */
  readonly ttlMs: () => number
  readonly clock: Clock
  /** @default 1 GiB */
  readonly maxTotalBytes?: number | undefined
}

const RUNNING = sql`status IN ('queued', 'in_progress')`

/** Makes the store over the server's database. */
export function createResponseStore(options: ResponseStoreOptions): ResponseStore {
  const { database, clock, ttlMs, maxTotalBytes = MAX_TOTAL_BYTES } = options
  const { rows, write } = createStatements(database)
  /** Bytes stored since the last look at the whole. */
  let grown = 0

  const isKept = (): SQL => (ttlMs() === 0 ? sql`1 = 1` : sql`created_at > ${clock.now() - ttlMs()}`)
  const mayRead = ({ id, isAdmin }: Reader): SQL => (isAdmin ? sql`1 = 1` : sql`owner = ${id}`)

  async function find(id: string, reader: Reader): Promise<DatabaseRow | undefined> {
    const [row] = await rows(
      sql`SELECT id, resource, input, streamed, status, lease_until FROM responses WHERE id = ${id} AND ${mayRead(reader)} AND ${isKept()}`,
    )
    return row
  }

  /** A running response whose server is gone becomes a failed one. */
  async function failRun(row: DatabaseRow): Promise<void> {
    const id = text(row, 'id')
    const resource = interrupted(resourceOf(row))
    const [last] = await rows(
      sql`SELECT first_sequence, frames FROM response_events WHERE response_id = ${id} ORDER BY first_sequence DESC LIMIT 1`,
    )
    const event = toEventRow(last)
    const sequence = event === undefined ? 0 : event.firstSequence + event.frames.length + UNSAVED_EVENTS
    await write([
      ...(Number(row.streamed) === 1 ? [insertEvents(id, failedRow(resource, sequence))] : []),
      sql`UPDATE responses SET status = 'failed', resource = ${JSON.stringify(resource)} WHERE id = ${id} AND ${RUNNING}`,
    ])
  }

  async function remove(ids: readonly string[]): Promise<void> {
    await write(
      ids.flatMap((id) => [
        sql`DELETE FROM response_events WHERE response_id = ${id}`,
        sql`DELETE FROM response_items WHERE response_id = ${id}`,
        sql`DELETE FROM responses WHERE id = ${id}`,
      ]),
    )
  }

  async function trim(): Promise<void> {
    for (;;) {
      const old = await rows(sql`SELECT id FROM responses WHERE NOT (${isKept()}) LIMIT ${BATCH}`)
      await remove(old.map((row) => text(row, 'id')))
      if (old.length < BATCH) break
    }
    grown = 0
    const [sum] = await rows(sql`SELECT COALESCE(SUM(size_bytes), 0) AS total FROM responses`)
    let total = Number(sum?.total ?? 0)
    while (total > maxTotalBytes) {
      const oldest = await rows(sql`SELECT id, size_bytes FROM responses ORDER BY created_at LIMIT ${BATCH}`)
      const surplus: string[] = []
      for (const row of oldest) {
        if (total <= maxTotalBytes) break
        surplus.push(text(row, 'id'))
        total -= Number(row.size_bytes)
      }
      if (surplus.length === 0) break
      await remove(surplus)
    }
  }

  /** Looks at the whole again once a sixteenth of what may be stored has come. */
  async function count(bytes: number): Promise<void> {
    grown += bytes
    if (grown > maxTotalBytes / 16) await trim()
  }

  return {
    async insert({ resource, input, streamed, owner, createdAt }, events) {
      const [resourceText, inputText] = [JSON.stringify(resource), JSON.stringify(input)]
      const size = resourceText.length + inputText.length + sizeOf(events)
      const leaseUntil = clock.now() + LEASE_MS
      await write([
        sql`INSERT INTO responses (id, owner, status, created_at, lease_until, size_bytes, streamed, resource, input)
            VALUES (${resource.id}, ${owner}, ${resource.status}, ${createdAt}, ${leaseUntil}, ${size}, ${streamed ? 1 : 0}, ${resourceText}, ${inputText})`,
        ...insertItems(resource.id, [...input, ...resource.output]),
        ...(events.length > 0 ? [insertEvents(resource.id, { firstSequence: 0, frames: events })] : []),
      ])
      await count(size)
    },
    async appendEvents(id, events) {
      const size = sizeOf(events.frames)
      await write([
        insertEvents(id, events),
        sql`UPDATE responses SET size_bytes = size_bytes + ${size} WHERE id = ${id}`,
      ])
      await count(size)
    },
    async finish(resource, events) {
      const [row] = await rows(sql`SELECT id FROM responses WHERE id = ${resource.id} AND ${RUNNING}`)
      if (row === undefined) return
      const resourceText = JSON.stringify(resource)
      const size = resourceText.length + sizeOf(events.frames)
      await write([
        sql`UPDATE responses SET status = ${resource.status}, resource = ${resourceText}, size_bytes = size_bytes + ${size} WHERE id = ${resource.id} AND ${RUNNING}`,
        ...insertItems(resource.id, resource.output),
        ...(events.frames.length > 0 ? [insertEvents(resource.id, events)] : []),
      ])
      await count(size)
    },
    async read(id, reader) {
      const row = await find(id, reader)
      if (row === undefined) return undefined
      const isRunning = row.status === 'queued' || row.status === 'in_progress'
      if (!isRunning || Number(row.lease_until) > clock.now()) return toStored(row)
      await failRun(row)
      const failed = await find(id, reader)
      return failed && toStored(failed)
    },
    async readEvents(id, after) {
      const [holding] = await rows(
        sql`SELECT first_sequence, frames FROM response_events WHERE response_id = ${id} AND first_sequence <= ${after + 1}
            ORDER BY first_sequence DESC LIMIT 1`,
      )
      const found = toEventRow(holding)
      if (found !== undefined && found.firstSequence + found.frames.length - 1 > after) return found
      const [next] = await rows(
        sql`SELECT first_sequence, frames FROM response_events WHERE response_id = ${id} AND first_sequence > ${after + 1}
            ORDER BY first_sequence LIMIT 1`,
      )
      return toEventRow(next)
    },
    async findItem(id, reader) {
      // Ids that clients choose may stand in several responses: the reader's own go before those of others.
      const [row] = await rows(
        sql`SELECT response_id FROM response_items JOIN responses ON responses.id = response_id
            WHERE response_items.id = ${id} AND ${mayRead(reader)} AND ${isKept()}
            ORDER BY CASE WHEN owner = ${reader.id} THEN 0 ELSE 1 END, created_at LIMIT 1`,
      )
      const stored = row && (await find(text(row, 'response_id'), reader))
      if (stored === undefined) return undefined
      const { input, resource } = toStored(stored)
      return [...input, ...resource.output].find((item) => item.id === id)
    },
    async cancel(resource) {
      await write([
        sql`UPDATE responses SET status = 'cancelled', resource = ${JSON.stringify(resource)} WHERE id = ${resource.id} AND ${RUNNING}`,
      ])
    },
    async delete(id, reader) {
      const row = await find(id, reader)
      if (row !== undefined) await remove([id])
      return row !== undefined
    },
    async renew(ids) {
      const until = clock.now() + LEASE_MS
      await write(ids.map((id) => sql`UPDATE responses SET lease_until = ${until} WHERE id = ${id} AND ${RUNNING}`))
    },
    async failInterrupted() {
      // a file has one server: whatever runs in it ran on one that is gone
      const isGone = database.dialect === 'sqlite' ? sql`1 = 1` : sql`lease_until < ${clock.now()}`
      for (;;) {
        const gone = await rows(
          sql`SELECT id, resource, streamed FROM responses WHERE ${RUNNING} AND ${isGone} LIMIT ${BATCH}`,
        )
        for (const row of gone) await failRun(row)
        if (gone.length < BATCH) return
      }
    },
    trim,
  }
}

function insertItems(responseId: string, items: readonly { readonly id?: string | null | undefined }[]): SQL[] {
  return items.flatMap(({ id }) =>
    id == null
      ? []
      : [
          sql`INSERT INTO response_items (id, response_id) VALUES (${id}, ${responseId}) ON CONFLICT (id, response_id) DO NOTHING`,
        ],
  )
}

function insertEvents(id: string, { firstSequence, frames }: EventRow): SQL {
  return sql`INSERT INTO response_events (response_id, first_sequence, frames)
             VALUES (${id}, ${firstSequence}, ${frames.join('')}) ON CONFLICT (response_id, first_sequence) DO NOTHING`
}

function sizeOf(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0)
}

function text(row: DatabaseRow, key: string): string {
  const value = row[key]
  return typeof value === 'string' ? value : ''
}

function resourceOf(row: DatabaseRow): ResponseResource {
  return JSON.parse(text(row, 'resource')) as ResponseResource
}

function toStored(row: DatabaseRow): StoredResponse {
  return {
    resource: resourceOf(row),
    input: JSON.parse(text(row, 'input')) as ResponseInputItem[],
    streamed: Number(row.streamed) === 1,
  }
}

function toEventRow(row: DatabaseRow | undefined): EventRow | undefined {
  if (row === undefined) return undefined
  return {
    firstSequence: Number(row.first_sequence),
    frames: text(row, 'frames')
      .split('\n\n')
      .slice(0, -1)
      .map((frame) => `${frame}\n\n`),
  }
}

function interrupted(resource: ResponseResource): ResponseResource {
  const message = 'the server stopped while the response was running'
  return { ...resource, status: 'failed', error: { code: 'server_error', message, type: 'server_error' } }
}

function failedRow(response: ResponseResource, sequence: number): EventRow {
  const data = JSON.stringify({ type: 'response.failed', sequence_number: sequence, response })
  return { firstSequence: sequence, frames: [`event: response.failed\ndata: ${data}\n\n`] }
}
