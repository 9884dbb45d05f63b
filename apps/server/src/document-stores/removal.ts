import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { and, eq, inArray, lt, max, type SQL, sql } from 'drizzle-orm'
import type { DatabaseQueries, Queries } from '../db/queries.ts'
import type { Tables } from '../db/schema.ts'

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

/** Most chunks of a statement, because SQLite lets nothing else run meanwhile. */
const CHUNKS_AT_ONCE = 2000

/** How removals are cut into parts. */
interface RemovalOptions {
  /** Milliseconds since the epoch, for the store. */
  readonly now: number
  /** Most chunks of a part. @default 2000 */
  readonly chunksAtOnce?: number | undefined
}

/** A run of a file, whose chunks go together. */
interface FileRun {
  readonly storeId: string
  readonly id: string
  readonly run: string
}

/**
 * Removes the chunks of a run of a file in parts, but for the last part, which goes with the transaction that follows.
 * Nothing may find them or add to them any more.
 */
export async function removeChunksInParts(
  queries: DatabaseQueries,
  { storeId, id, run }: FileRun,
  chunksAtOnce: number = CHUNKS_AT_ONCE,
): Promise<void> {
  const [last] = await queries.rows((db, { documentChunks: chunks }) =>
    db
      .select({ number: max(chunks.number) })
      .from(chunks)
      .where(and(eq(chunks.storeId, storeId), eq(chunks.fileId, id), eq(chunks.run, run))),
  )
  for (let below = chunksAtOnce; below <= Number(last?.number ?? -1); below += chunksAtOnce) {
    await queries.change((db, { documentChunks: chunks }) =>
      db
        .delete(chunks)
        .where(and(eq(chunks.storeId, storeId), eq(chunks.fileId, id), eq(chunks.run, run), lt(chunks.number, below))),
    )
    await setImmediate()
  }
}

/**
 * Takes a file out of a store. It gets a run without chunks first, so that no search finds it and no indexer adds to it
 * while its chunks go.
 *
 * @returns whether it was there
 */
export async function removeFromStore(
  queries: DatabaseQueries,
  { storeId, id }: { readonly storeId: string; readonly id: string },
  { now, chunksAtOnce }: RemovalOptions,
): Promise<boolean> {
  const leaving = `removed-${randomBytes(8).toString('hex')}`
  const run = await queries.transaction(async (transaction) => {
    await touchStore(transaction, storeId, now)
    const [file] = await transaction.rows((db, { documentFiles: files }) =>
      db
        .select({ run: files.run })
        .from(files)
        .where(and(eq(files.storeId, storeId), eq(files.id, id))),
    )
    await transaction.change((db, { documentFiles: files }) =>
      db
        .update(files)
        .set({ run: leaving, status: 'cancelled', chunkCount: 0, usageBytes: 0 })
        .where(and(eq(files.storeId, storeId), eq(files.id, id))),
    )
    return file?.run
  })
  if (run === undefined) return false
  await removeChunksInParts(queries, { storeId, id, run }, chunksAtOnce)
  await queries.transaction(async (transaction) => {
    const removed = await transaction.change((db, { documentFiles: files }) =>
      db.delete(files).where(and(eq(files.storeId, storeId), eq(files.id, id), eq(files.run, leaving))),
    )
    // A file that was added again meanwhile keeps its chunks.
    const isMeant = (chunks: Tables['documentChunks']): SQL | undefined =>
      removed > 0 ? undefined : eq(chunks.run, run)
    await transaction.change((db, { documentChunks: chunks }) =>
      db.delete(chunks).where(and(eq(chunks.storeId, storeId), eq(chunks.fileId, id), isMeant(chunks))),
    )
  })
  return true
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
  for (const row of rows) await removeFromStore(queries, row, { now })
  return rows
}

const FILES_AT_ONCE = 200

/**
 * Removes the files of a store in parts, because SQLite lets nothing else run while it removes many chunks. A store that
 * is added to meanwhile is not empty afterwards.
 *
 * @param chunksAtOnce a part of several files ends with the file that reaches it
 */
export async function removeFilesInParts(
  queries: DatabaseQueries,
  storeId: string,
  { now, chunksAtOnce = CHUNKS_AT_ONCE }: RemovalOptions,
): Promise<void> {
  const all = await queries.rows((db, { documentFiles: files }) =>
    db
      .select({ id: files.id, chunks: files.chunkCount, status: files.status })
      .from(files)
      .where(eq(files.storeId, storeId)),
  )
  const isLarge = ({ chunks, status }: (typeof all)[number]): boolean =>
    chunks > chunksAtOnce || status === 'in_progress'
  for (const { id } of all.filter(isLarge)) await removeFromStore(queries, { storeId, id }, { now, chunksAtOnce })
  const rows = all.filter((row) => !isLarge(row))
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
