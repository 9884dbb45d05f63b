import { readFile } from 'node:fs/promises'
import { type BinaryReader, cutText, extractText, type TextChunk } from '@svc/documents'
import { SvcError } from '@svc/errors'
import { and, eq, ne, sql, sum } from 'drizzle-orm'
import type { DatabaseQueries, Queries } from '../db/queries.ts'
import type { InnerCaller } from '../inference/core/inner-context.ts'
import type { Clock } from '../ports.ts'
import type { StoredFiles } from '../stored-files/stored-file.ts'
import { documentNotFound, documentsFull, otherModel } from './document-errors.ts'
import { DOCUMENT_LIMITS, type DocumentFile, type DocumentStore } from './document-store.ts'
import type { TextEmbedder } from './embed-texts.ts'
import { touchStore } from './removal.ts'
import { writeVector } from './vector-text.ts'

/** Parts of {@link indexFile}. */
export interface IndexFileParts {
  readonly queries: DatabaseQueries
  readonly files: Pick<StoredFiles, 'find' | 'locate'>
  readonly embedder: TextEmbedder
  /** Reads PDF files, office documents and books. */
  readonly readBinary: BinaryReader
  /** Gives the caller for work of an owner; undefined when there is none any more. */
  readonly findCaller: (owner: string, options: { readonly signal: AbortSignal }) => Promise<InnerCaller | undefined>
  readonly clock: Clock
}

/** The file is no longer to be indexed: it was removed, cancelled or added again. */
export class FileLeft extends SvcError {
  override readonly name = 'FileLeft'

  constructor() {
    super('cancelled', 'the file is no longer indexed')
  }
}

const BATCH_CHUNKS = 16
const ADMIN = { id: '', isAdmin: true }

/** A file under way. */
interface Work extends IndexFileParts {
  readonly file: DocumentFile
  readonly store: DocumentStore
  readonly caller: InnerCaller
  readonly signal: AbortSignal
}

/**
 * Reads, cuts and embeds a file of a store. Its chunks are found once this resolves.
 *
 * @throws {FileLeft}
 * @throws {SvcError} the failure
 */
export async function indexFile(file: DocumentFile, parts: IndexFileParts, signal: AbortSignal): Promise<void> {
  const { queries, findCaller, clock } = parts
  const store = await findStore(queries, file.storeId)
  const caller = await findCaller(file.owner, { signal })
  if (caller === undefined) throw new SvcError('forbidden', 'the account that added the file is gone')
  const text = await readText(file, parts, signal)
  await removeChunks(queries, file)
  const room = DOCUMENT_LIMITS.chunks - (await countChunks(queries, file))
  const work: Work = { ...parts, file, store, caller, signal }
  let number = 0
  let batch: TextChunk[] = []
  const sizes = { maxTokens: file.chunkSize, overlapTokens: file.chunkOverlap }
  for await (const chunk of cutText(text, { ...sizes, signal })) {
    if (chunk.text.trim() === '') continue
    if (number + batch.length >= room) throw chunksFull()
    batch.push(chunk)
    if (batch.length < BATCH_CHUNKS) continue
    await addChunks(batch, number, work)
    number += batch.length
    batch = []
  }
  if (batch.length > 0) await addChunks(batch, number, work)
  number += batch.length
  if (number === 0) throw new SvcError('invalid_request', 'the file has no text', { code: 'invalid_document' })
  await queries.transaction(async (transaction) => {
    await touchStore(transaction, file.storeId, clock.now())
    await lockFile(transaction, file, { status: 'completed', chunkCount: number })
    // Other files were indexed meanwhile.
    if (number + (await countChunks(transaction, file)) > DOCUMENT_LIMITS.chunks) throw chunksFull()
  })
}

function chunksFull(): SvcError {
  return documentsFull(`a store has at most ${DOCUMENT_LIMITS.chunks} chunks`)
}

async function findStore(queries: Queries, id: string): Promise<DocumentStore> {
  const [store] = await queries.rows((db, { documentStores: stores }) =>
    db.select().from(stores).where(eq(stores.id, id)),
  )
  if (store === undefined) throw documentNotFound('vector store', id, 'vector_store_id')
  return store
}

async function readText(
  file: DocumentFile,
  { files, readBinary }: IndexFileParts,
  signal: AbortSignal,
): Promise<string> {
  const stored = await files.find(file.id, ADMIN)
  if (stored === undefined) throw documentNotFound('file', file.id, 'file_id')
  const maxBytes = DOCUMENT_LIMITS.fileBytes
  if (stored.sizeBytes > maxBytes) {
    throw new SvcError('too_large', `the file has more than ${maxBytes} bytes`, { code: 'document_limit' })
  }
  const bytes = await readFile(await files.locate(stored), { signal })
  const { text } = await extractText(bytes, { name: stored.filename, maxBytes, readBinary, signal })
  return text
}

/** Removes what an interrupted run has left. */
async function removeChunks(queries: DatabaseQueries, file: DocumentFile): Promise<void> {
  const { storeId, id, run } = file
  await queries.transaction(async (transaction) => {
    await lockFile(transaction, file, { usageBytes: 0 })
    await transaction.change((db, { documentChunks: chunks }) =>
      db.delete(chunks).where(and(eq(chunks.storeId, storeId), eq(chunks.fileId, id), eq(chunks.run, run))),
    )
  })
}

/** Counts the chunks of the other files of the store. */
async function countChunks(queries: Queries, { storeId, id }: DocumentFile): Promise<number> {
  const [found] = await queries.rows((db, { documentFiles: files }) =>
    db
      .select({ chunks: sum(files.chunkCount).mapWith(Number) })
      .from(files)
      .where(and(eq(files.storeId, storeId), ne(files.id, id))),
  )
  return found?.chunks ?? 0
}

async function addChunks(
  batch: readonly TextChunk[],
  first: number,
  { queries, embedder, file, store, caller, signal }: Work,
): Promise<void> {
  const texts = batch.map(({ text }) => text)
  const vectors = await embedder.embed(texts, { model: store.model, caller, signal })
  const { storeId, id: fileId, run } = file
  const rows = batch.map(({ text, start, end }, index) => {
    const vector = writeVector(vectors[index] ?? new Float32Array())
    return { storeId, fileId, run, number: first + index, text, start, end, vector }
  })
  const bytes = rows.reduce((total, { text, vector }) => total + Buffer.byteLength(text) + (vector.length * 3) / 4, 0)
  await queries.transaction(async (transaction) => {
    await fixDimensions(transaction, storeId, vectors[0]?.length ?? 0)
    await lockFile(transaction, file, {}, Math.round(bytes))
    await transaction.change((db, { documentChunks }) => db.insert(documentChunks).values(rows))
  })
}

/**
 * Changes the row of a file that is still to be indexed, which also keeps others from removing it before the end of the
 * transaction.
 *
 * @throws {FileLeft}
 */
async function lockFile(
  queries: Queries,
  { storeId, id, run }: DocumentFile,
  change: { readonly status?: string; readonly chunkCount?: number; readonly usageBytes?: number },
  addedBytes = 0,
): Promise<void> {
  const locked = await queries.change((db, { documentFiles: files }) =>
    db
      .update(files)
      .set({ usageBytes: sql`${files.usageBytes} + ${addedBytes}`, ...change })
      .where(and(eq(files.storeId, storeId), eq(files.id, id), eq(files.run, run), eq(files.status, 'in_progress'))),
  )
  if (locked === 0) throw new FileLeft()
}

/** All vectors of a store have one length. */
async function fixDimensions(queries: Queries, storeId: string, dimensions: number): Promise<void> {
  await queries.change((db, { documentStores: stores }) =>
    db
      .update(stores)
      .set({ dimensions })
      .where(and(eq(stores.id, storeId), eq(stores.dimensions, 0))),
  )
  const store = await findStore(queries, storeId)
  if (store.dimensions !== dimensions) throw otherModel()
}
