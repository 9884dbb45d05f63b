import { setImmediate } from 'node:timers/promises'
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { DatabaseQueries, Queries } from '../db/queries.ts'

/**
 * Notes that searches of a store find something else now. Others that change the store wait for the end of the
 * transaction. Do this before all else in it: two transactions that lock rows in another order wait for each other.
 *
 * @returns whether the store is there
 */
export async function touchStore(queries: Queries, storeId: string, now: number): Promise<boolean> {
  const touched = await queries.change((db, { documentStores: stores }) =>
    db
      .update(stores)
      .set({ revision: sql`${stores.revision} + 1`, lastActiveAt: now })
      .where(eq(stores.id, storeId)),
  )
  return touched > 0
}

/**
 * Takes a file out of a store. Its row goes before its chunks: an indexer locks it with each of its writes, so no chunk
 * comes later.
 *
 * @returns whether it was there
 */
export async function removeFromStore(
  queries: DatabaseQueries,
  { storeId, id }: { readonly storeId: string; readonly id: string },
  now: number,
): Promise<boolean> {
  return queries.transaction(async (transaction) => {
    await touchStore(transaction, storeId, now)
    const removed = await transaction.change((db, { documentFiles: files }) =>
      db.delete(files).where(and(eq(files.storeId, storeId), eq(files.id, id))),
    )
    if (removed === 0) return false
    await transaction.change((db, { documentChunks: chunks }) =>
      db.delete(chunks).where(and(eq(chunks.storeId, storeId), eq(chunks.fileId, id))),
    )
    return true
  })
}

/** Takes stored files out of all stores. @returns the stores that had one of them, with the file */
export async function removeFromAllStores(
  queries: DatabaseQueries,
  fileIds: readonly string[],
  now: number,
): Promise<readonly { readonly storeId: string; readonly id: string }[]> {
  const rows = await queries.rows((db, { documentFiles: files }) =>
    db
      .select({ storeId: files.storeId, id: files.id })
      .from(files)
      .where(inArray(files.id, [...fileIds])),
  )
  for (const row of rows) await removeFromStore(queries, row, now)
  return rows
}

const FILES_AT_ONCE = 200
const CHUNKS_AT_ONCE = 2000

/**
 * Removes the files of a store in parts, because SQLite lets nothing else run while it removes many chunks. A store that
 * is added to meanwhile is not empty afterwards.
 *
 * @param chunksAtOnce a part ends with the file that reaches it
 */
export async function removeFilesInParts(
  queries: DatabaseQueries,
  storeId: string,
  { now, chunksAtOnce = CHUNKS_AT_ONCE }: { readonly now: number; readonly chunksAtOnce?: number },
): Promise<void> {
  const rows = await queries.rows((db, { documentFiles: files }) =>
    db.select({ id: files.id, chunks: files.chunkCount }).from(files).where(eq(files.storeId, storeId)),
  )
  let ids: string[] = []
  let held = 0
  for (const [index, { id, chunks }] of rows.entries()) {
    ids.push(id)
    held += chunks
    const isLast = index === rows.length - 1
    if (held < chunksAtOnce && ids.length < FILES_AT_ONCE && !isLast) continue
    await removePart(queries, storeId, ids, now)
    await setImmediate()
    ids = []
    held = 0
  }
}

async function removePart(
  queries: DatabaseQueries,
  storeId: string,
  ids: readonly string[],
  now: number,
): Promise<void> {
  await queries.transaction(async (transaction) => {
    await touchStore(transaction, storeId, now)
    await transaction.change((db, { documentFiles: files }) =>
      db.delete(files).where(and(eq(files.storeId, storeId), inArray(files.id, [...ids]))),
    )
    await transaction.change((db, { documentChunks: chunks }) =>
      db.delete(chunks).where(and(eq(chunks.storeId, storeId), inArray(chunks.fileId, [...ids]))),
    )
  })
}

/** Removes everything that belongs to a store, but its own row. */
export async function emptyStore(queries: Queries, storeId: string): Promise<void> {
  await queries.change((db, { documentFiles: files }) => db.delete(files).where(eq(files.storeId, storeId)))
  await queries.change((db, { documentChunks: chunks }) => db.delete(chunks).where(eq(chunks.storeId, storeId)))
  await queries.change((db, { documentBatches: batches }) => db.delete(batches).where(eq(batches.storeId, storeId)))
}
