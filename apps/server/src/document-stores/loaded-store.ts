import { setImmediate } from 'node:timers/promises'
import { createVectorIndex, type FoundEntry, type MemoryVectorIndex } from '@svc/router/vector'
import { and, asc, eq, gt } from 'drizzle-orm'
import type { Queries } from '../db/queries.ts'
import type { AttributeFilter } from './attribute-filter.ts'
import { otherModel } from './document-errors.ts'
import { type Attributes, DOCUMENT_LIMITS, type DocumentStore } from './document-store.ts'
import { readVector } from './vector-text.ts'

/** A file whose chunks are in the index. */
interface LoadedFile {
  readonly id: string
  readonly run: string
  readonly chunkCount: number
  filename: string
  attributes: Attributes
  /** Whether it is still in the store. */
  isThere: boolean
}

/** The chunks of a store in memory. */
export interface LoadedStore {
  /** Its values are references to the first chunk of each vector. */
  readonly index: MemoryVectorIndex
  readonly files: LoadedFile[]
  /** The other chunks of a vector by {@link toKey} of the first one. */
  readonly equal: Map<number, Reference[]>
  revision: number
}

/** The place of a file in the list, and the number of a chunk. */
type Reference = readonly [place: number, number: number]

/** A chunk that a search found. */
export interface FoundChunk {
  readonly file: Pick<LoadedFile, 'id' | 'run' | 'filename' | 'attributes'>
  readonly number: number
  readonly similarity: number
}

/** A file of a store in the database, completely indexed. */
interface IndexedFile {
  readonly id: string
  readonly run: string
  readonly filename: string
  readonly attributes: string
  readonly chunkCount: number
}

const ROWS_AT_ONCE = 500
const NO_REVISION = -1

/** Creates a store without chunks, which agrees with no row. */
export function createLoadedStore(): LoadedStore {
  return {
    index: createVectorIndex({ maxEntries: DOCUMENT_LIMITS.chunks, maxBytes: DOCUMENT_LIMITS.indexBytes }),
    files: [],
    equal: new Map(),
    revision: NO_REVISION,
  }
}

/**
 * Adds what the database has now. Chunks of files that are gone stay and are passed over, until they are the larger part.
 *
 * @returns the store, or a new one in its place
 */
export async function syncStore(
  loaded: LoadedStore,
  store: DocumentStore,
  queries: Queries,
  signal: AbortSignal,
): Promise<LoadedStore> {
  if (loaded.revision === store.revision) return loaded
  const rows = await listIndexed(queries, store.id)
  const kept = new Map(loaded.files.map((file) => [file.run, file]))
  const chunks = rows.reduce((total, { chunkCount }) => total + chunkCount, 0)
  const held = loaded.files.reduce((total, { chunkCount }) => total + chunkCount, 0)
  const added = rows.reduce((total, { run, chunkCount }) => total + (kept.has(run) ? 0 : chunkCount), 0)
  const isWorn = held + added > 2 * chunks || held + added > DOCUMENT_LIMITS.chunks
  if (isWorn && loaded.files.length > 0) return syncStore(createLoadedStore(), store, queries, signal)
  // Searches go on meanwhile.
  const present = new Set(rows.map(({ run }) => run))
  for (const file of loaded.files) file.isThere = present.has(file.run)
  for (const row of rows) {
    const attributes = JSON.parse(row.attributes) as Attributes
    const known = kept.get(row.run)
    if (known === undefined) await addFile(loaded, { ...row, attributes, isThere: true }, store, queries, signal)
    else Object.assign(known, { filename: row.filename, attributes, isThere: true })
  }
  loaded.revision = store.revision
  return loaded
}

function listIndexed(queries: Queries, storeId: string): Promise<readonly IndexedFile[]> {
  return queries.rows((db, { documentFiles: files }) =>
    db
      .select({
        id: files.id,
        run: files.run,
        filename: files.filename,
        attributes: files.attributes,
        chunkCount: files.chunkCount,
      })
      .from(files)
      .where(and(eq(files.storeId, storeId), eq(files.status, 'completed')))
      .orderBy(asc(files.createdAt), asc(files.id)),
  )
}

async function addFile(
  loaded: LoadedStore,
  file: LoadedFile,
  store: DocumentStore,
  queries: Queries,
  signal: AbortSignal,
): Promise<void> {
  const place = loaded.files.push(file) - 1
  for (let after = -1; ; ) {
    signal.throwIfAborted()
    const rows = await queries.rows((db, { documentChunks: chunks }) =>
      db
        .select({ number: chunks.number, vector: chunks.vector })
        .from(chunks)
        .where(
          and(
            eq(chunks.storeId, store.id),
            eq(chunks.fileId, file.id),
            eq(chunks.run, file.run),
            gt(chunks.number, after),
          ),
        )
        .orderBy(asc(chunks.number))
        .limit(ROWS_AT_ONCE),
    )
    for (const { number, vector } of rows) await addChunk(loaded, readVector(vector), [place, number], signal)
    if (rows.length < ROWS_AT_ONCE) return
    after = rows.at(-1)?.number ?? after
    await setImmediate()
  }
}

/** Chunks of equal text have equal vectors, and the index keeps one entry for them. */
async function addChunk(
  { index, equal }: LoadedStore,
  key: Float32Array,
  reference: Reference,
  signal: AbortSignal,
): Promise<void> {
  if (index.dimension !== undefined && index.dimension !== key.length) throw otherModel()
  const [known] = await index.get([key], { signal })
  if (known === undefined) {
    await index.set([{ key, value: Buffer.from(Uint32Array.from(reference).buffer) }], { signal })
    return
  }
  const first = toKey(readReference(known.value))
  const others = equal.get(first)
  if (others === undefined) equal.set(first, [reference])
  else others.push(reference)
}

/** Finds the chunks nearest to a vector in files that pass the filter, the nearest first. */
export async function findChunks(
  { index, files, equal }: LoadedStore,
  query: Float32Array,
  { filter, count, signal }: { readonly filter: AttributeFilter; readonly count: number; readonly signal: AbortSignal },
): Promise<readonly FoundChunk[]> {
  if (index.dimension === undefined) return []
  if (index.dimension !== query.length) throw otherModel()
  const isMeant = files.map((file) => file.isThere && filter(file.attributes))
  const accepts = (value: Uint8Array): boolean => {
    const first = readReference(value)
    return isMeant[first[0]] === true || (equal.get(toKey(first))?.some(([place]) => isMeant[place]) ?? false)
  }
  const found = await index.find(query, { count, accepts, signal })
  const chunks: FoundChunk[] = []
  for (const entry of found) {
    for (const [place, number] of listReferences(entry, equal)) {
      const file = files[place]
      if (file === undefined || isMeant[place] !== true) continue
      chunks.push({ file, number, similarity: entry.similarity })
      if (chunks.length === count) return chunks
    }
  }
  return chunks
}

function* listReferences({ value }: FoundEntry, equal: LoadedStore['equal']): Generator<Reference> {
  const first = readReference(value)
  yield first
  yield* equal.get(toKey(first)) ?? []
}

function readReference(value: Uint8Array): Reference {
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength)
  return [view.getUint32(0, true), view.getUint32(4, true)]
}

/** A store has fewer than 2^21 files in memory, so the number is exact. */
function toKey([place, number]: Reference): number {
  return place * 2 ** 32 + number
}
