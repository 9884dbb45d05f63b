import type { ResponseInputItem, ResponseResource } from '@svc/wire/responses'
import { inArray, type SQL } from 'drizzle-orm'
import type { Queries } from '../db/queries.ts'
import type { Tables } from '../db/schema.ts'
import type { EventRow, StoredResponse } from './stored-response.ts'

/** Number of rows that are read, inserted or removed at a time. */
export const BATCH = 200

export type Responses = Tables['responses']
export type ResponseRow = Responses['$inferSelect']

/** States of a running response. */
export const RUNNING = ['queued', 'in_progress']

/** The condition that a response runs. */
export const runs = ({ status }: Responses): SQL => inArray(status, RUNNING)

export async function insertItems(
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

export async function insertEvents(
  queries: Queries,
  responseId: string,
  { firstSequence, frames }: EventRow,
): Promise<void> {
  const row = { responseId, firstSequence, frames: frames.join('') }
  await queries.change((db, { responseEvents }) => db.insert(responseEvents).values(row).onConflictDoNothing())
}

export function measureSize(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0)
}

export function toResource({ resource }: ResponseRow): ResponseResource {
  return JSON.parse(resource) as ResponseResource
}

export function toStored(row: ResponseRow): StoredResponse {
  return {
    resource: toResource(row),
    input: JSON.parse(row.input) as ResponseInputItem[],
    streamed: row.streamed === 1,
  }
}

export function toEventRow({ firstSequence, frames }: Tables['responseEvents']['$inferSelect']): EventRow {
  const texts = frames.split('\n\n').slice(0, -1)
  return { firstSequence, frames: texts.map((frame) => `${frame}\n\n`) }
}

export function interrupted(resource: ResponseResource): ResponseResource {
  const message = 'the server stopped while the response was running'
  return { ...resource, status: 'failed', error: { code: 'server_error', message, type: 'server_error' } }
}

export function toFailedRow(response: ResponseResource, sequence: number): EventRow {
  const data = JSON.stringify({ type: 'response.failed', sequence_number: sequence, response })
  return { firstSequence: sequence, frames: [`event: response.failed\ndata: ${data}\n\n`] }
}
