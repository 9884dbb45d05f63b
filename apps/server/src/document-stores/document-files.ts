import { randomBytes } from 'node:crypto'
import { and, asc, count, eq, gt, inArray, notInArray, type SQL } from 'drizzle-orm'
import { type Page, type PageQuery, readPage } from '../db/page.ts'
import { isPlacedId } from '../db/placed-id.ts'
import type { DatabaseQueries, Queries } from '../db/queries.ts'
import type { Tables } from '../db/schema.ts'
import type { Clock } from '../ports.ts'
import { unknownCursor } from '../stored-files/file-errors.ts'
import type { StoredFile } from '../stored-files/stored-file.ts'
import { documentNotFound, documentsFull } from './document-errors.ts'
import {
  type Attributes,
  DOCUMENT_LIMITS,
  type DocumentBatch,
  type DocumentFault,
  type DocumentFile,
  type DocumentStatus,
} from './document-store.ts'
import { removeFromStore, touchStore } from './removal.ts'

/** A file that is added to a store. */
export interface FileAddition {
  readonly file: StoredFile
  readonly attributes: Attributes
  /** Tokens. */
  readonly chunkSize: number
  readonly chunkOverlap: number
  /** Why it is not indexed at all. @default it is */
  readonly fault?: { readonly code: DocumentFault; readonly message: string } | undefined
}

/** The files of stores. Callers have found the store before. */
export interface DocumentFiles {
  /**
   * Adds files, to be indexed for an owner. A file that is there is indexed anew.
   *
   * @throws {SvcError} `insufficient_storage` for more files than a store may have; `not_found` for a store that is gone
   */
  add(storeId: string, additions: readonly FileAddition[], owner: string): Promise<readonly DocumentFile[]>
  /** Adds files as a batch. The oldest batch of many is forgotten, its files stay. @throws as {@link add} */
  addBatch(storeId: string, additions: readonly FileAddition[], owner: string): Promise<DocumentBatch>
  /** @throws {SvcError} `not_found` */
  get(storeId: string, id: string): Promise<DocumentFile>
  /** @throws {SvcError} `not_found` */
  getBatch(storeId: string, id: string): Promise<DocumentBatch>
  /** @throws {SvcError} `invalid_request` for a cursor that names no file of the list */
  list(storeId: string, query: FileQuery): Promise<Page<DocumentFile>>
  setAttributes(storeId: string, id: string, attributes: Attributes): Promise<DocumentFile>
  /** Takes a file out of the store. The uploaded file stays. @throws {SvcError} `not_found` */
  remove(storeId: string, id: string): Promise<void>
  /** Cancels the files of a batch that are not indexed yet. @returns their ids */
  cancelBatch(batch: DocumentBatch): Promise<readonly string[]>
  /** Gives the texts of the chunks of a file in order, a few hundred at a time. */
  readChunks(file: DocumentFile): AsyncIterable<readonly TextPart[]>
}

/** A part of the list of files of a store. */
export interface FileQuery extends PageQuery {
  readonly status?: DocumentStatus | undefined
  readonly batchId?: string | undefined
}

/** A chunk with its places in the text of the file. */
export interface TextPart {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly number: number
}

type Files = Tables['documentFiles']

const BATCH_ID = /^vsfb_[0-9a-f]{32}$/
const ROWS_AT_ONCE = 200
const FILES_AT_ONCE = 50

/** Creates the files of stores on the server's database. */
export function createDocumentFiles({
  queries,
  clock,
}: {
  readonly queries: DatabaseQueries
  readonly clock: Clock
}): DocumentFiles {
  async function find(storeId: string, id: string): Promise<DocumentFile | undefined> {
    if (!isPlacedId('file-', id)) return undefined
    const [row] = await queries.rows((db, { documentFiles: files }) =>
      db
        .select()
        .from(files)
        .where(and(eq(files.storeId, storeId), eq(files.id, id))),
    )
    return row
  }

  async function get(storeId: string, id: string): Promise<DocumentFile> {
    const row = await find(storeId, id)
    if (row === undefined) throw documentNotFound('file', id, 'file_id')
    return row
  }

  return {
    get,
    add: (storeId, additions, owner) => insertFiles(queries, storeId, additions, { owner, now: clock.now() }),
    async addBatch(storeId, additions, owner) {
      const id = `vsfb_${randomBytes(16).toString('hex')}`
      const batch: DocumentBatch = { id, storeId, cancelled: 0, createdAt: clock.now() }
      await insertFiles(queries, storeId, additions, { owner, batch, now: clock.now() })
      return batch
    },
    async getBatch(storeId, id) {
      const [row] = !BATCH_ID.test(id)
        ? []
        : await queries.rows((db, { documentBatches: batches }) =>
            db
              .select()
              .from(batches)
              .where(and(eq(batches.id, id), eq(batches.storeId, storeId))),
          )
      if (row === undefined) throw documentNotFound('file batch', id, 'batch_id')
      return row
    },
    async list(storeId, { status, batchId, ...query }) {
      const isMeant = (files: Files): SQL | undefined =>
        and(
          status === undefined ? undefined : eq(files.status, status),
          batchId === undefined ? undefined : eq(files.batchId, batchId),
        )
      const page = await readPage<DocumentFile>(query, {
        find: (id) => find(storeId, id),
        rows: (part, limit) =>
          queries.rows((db, { documentFiles: files }) => {
            const { where, orderBy } = part(files)
            return db
              .select()
              .from(files)
              .where(and(eq(files.storeId, storeId), isMeant(files), where))
              .orderBy(...orderBy)
              .limit(limit)
          }),
      })
      if ('unknown' in page) throw unknownCursor(page.unknown)
      return page
    },
    async setAttributes(storeId, id, attributes) {
      await get(storeId, id)
      await queries.transaction(async (transaction) => {
        await touchStore(transaction, storeId, clock.now())
        await transaction.change((db, { documentFiles: files }) =>
          db
            .update(files)
            .set({ attributes: JSON.stringify(attributes) })
            .where(and(eq(files.storeId, storeId), eq(files.id, id))),
        )
      })
      return get(storeId, id)
    },
    async remove(storeId, id) {
      await get(storeId, id)
      const isGone = await removeFromStore(queries, { storeId, id }, { now: clock.now() })
      if (!isGone) throw documentNotFound('file', id, 'file_id')
    },
    cancelBatch: (batch) => cancelBatch(queries, batch),
    readChunks: (file) => readChunks(queries, file),
  }
}

/** Circumstances of files that are added. */
interface Adding {
  readonly owner: string
  readonly batch?: DocumentBatch | undefined
  /** Milliseconds since the epoch. */
  readonly now: number
}

async function insertFiles(
  queries: DatabaseQueries,
  storeId: string,
  additions: readonly FileAddition[],
  adding: Adding,
): Promise<readonly DocumentFile[]> {
  const rows = additions.map((addition) => toRow(storeId, addition, adding))
  await queries.transaction(async (transaction) => {
    const isThere = await touchStore(transaction, storeId, adding.now)
    if (!isThere) throw documentNotFound('vector store', storeId, 'vector_store_id')
    await checkRoom(transaction, storeId, rows)
    if (adding.batch !== undefined) {
      const { batch } = adding
      await makeRoom(transaction, storeId)
      await transaction.change((db, { documentBatches }) => db.insert(documentBatches).values(batch))
    }
    for (let at = 0; at < rows.length; at += FILES_AT_ONCE) {
      const part = rows.slice(at, at + FILES_AT_ONCE)
      const ids = part.map(({ id }) => id)
      await transaction.change((db, { documentFiles: files }) =>
        db.delete(files).where(and(eq(files.storeId, storeId), inArray(files.id, ids))),
      )
      await transaction.change((db, { documentChunks: chunks }) =>
        db.delete(chunks).where(and(eq(chunks.storeId, storeId), inArray(chunks.fileId, ids))),
      )
      await transaction.change((db, { documentFiles }) => db.insert(documentFiles).values(part))
    }
  })
  return rows
}

/** Forgets the oldest batches of a store, so that there is room for another one. */
async function makeRoom(queries: Queries, storeId: string): Promise<void> {
  const [held] = await queries.rows((db, { documentBatches: batches }) =>
    db.select({ batches: count() }).from(batches).where(eq(batches.storeId, storeId)),
  )
  const excess = Number(held?.batches ?? 0) - DOCUMENT_LIMITS.batches + 1
  if (excess <= 0) return
  const oldest = await queries.rows((db, { documentBatches: batches }) =>
    db
      .select({ id: batches.id })
      .from(batches)
      .where(eq(batches.storeId, storeId))
      .orderBy(asc(batches.createdAt), asc(batches.id))
      .limit(Math.min(excess, ROWS_AT_ONCE)),
  )
  const ids = oldest.map(({ id }) => id)
  await queries.change((db, { documentBatches: batches }) => db.delete(batches).where(inArray(batches.id, ids)))
}

async function checkRoom(queries: Queries, storeId: string, rows: readonly DocumentFile[]): Promise<void> {
  const ids = rows.map(({ id }) => id)
  const [others] = await queries.rows((db, { documentFiles: files }) =>
    db
      .select({ files: count() })
      .from(files)
      .where(and(eq(files.storeId, storeId), ids.length > 0 ? notInArray(files.id, ids) : undefined)),
  )
  if (Number(others?.files ?? 0) + rows.length <= DOCUMENT_LIMITS.files) return
  throw documentsFull(`a vector store has at most ${DOCUMENT_LIMITS.files} files`)
}

async function cancelBatch(queries: DatabaseQueries, { id, storeId }: DocumentBatch): Promise<readonly string[]> {
  return queries.transaction(async (transaction) => {
    await transaction.change((db, { documentBatches: batches }) =>
      db.update(batches).set({ cancelled: 1 }).where(eq(batches.id, id)),
    )
    const waiting = await transaction.rows((db, { documentFiles: files }) =>
      db
        .select({ id: files.id })
        .from(files)
        .where(and(eq(files.batchId, id), eq(files.status, 'in_progress'))),
    )
    const ids = waiting.map((file) => file.id)
    if (ids.length === 0) return ids
    await transaction.change((db, { documentFiles: files }) =>
      db
        .update(files)
        .set({ status: 'cancelled', usageBytes: 0 })
        .where(and(eq(files.batchId, id), eq(files.status, 'in_progress'))),
    )
    await transaction.change((db, { documentChunks: chunks }) =>
      db.delete(chunks).where(and(eq(chunks.storeId, storeId), inArray(chunks.fileId, ids))),
    )
    return ids
  })
}

async function* readChunks(
  queries: DatabaseQueries,
  { storeId, id, run }: DocumentFile,
): AsyncGenerator<readonly TextPart[]> {
  for (let after = -1; ; ) {
    const rows = await queries.rows((db, { documentChunks: chunks }) =>
      db
        .select({ text: chunks.text, start: chunks.start, end: chunks.end, number: chunks.number })
        .from(chunks)
        .where(and(eq(chunks.storeId, storeId), eq(chunks.fileId, id), eq(chunks.run, run), gt(chunks.number, after)))
        .orderBy(asc(chunks.number))
        .limit(ROWS_AT_ONCE),
    )
    if (rows.length > 0) yield rows
    if (rows.length < ROWS_AT_ONCE) return
    after = rows.at(-1)?.number ?? after
  }
}

function toRow(
  storeId: string,
  { file, attributes, chunkSize, chunkOverlap, fault }: FileAddition,
  { owner, batch, now }: Adding,
): DocumentFile {
  return {
    storeId,
    id: file.id,
    filename: file.filename,
    owner,
    server: file.server,
    batchId: batch?.id ?? '',
    run: randomBytes(8).toString('hex'),
    status: fault === undefined ? 'in_progress' : 'failed',
    errorCode: fault?.code ?? null,
    errorMessage: fault?.message ?? null,
    attributes: JSON.stringify(attributes),
    chunkSize,
    chunkOverlap,
    chunkCount: 0,
    usageBytes: 0,
    createdAt: now,
  }
}
