import { and, eq, sum } from 'drizzle-orm'
import type { Queries } from '../db/queries.ts'
import { documentsFull } from './document-errors.ts'
import { DOCUMENT_LIMITS, type DocumentStore } from './document-store.ts'
import { createLoadedStore, type LoadedStore, syncStore } from './loaded-store.ts'

/** The stores whose chunks are in memory. */
export interface LoadedStores {
  /**
   * Gives a store as its row is now. The first call loads its chunks; stores that were not used for the longest time
   * make room. A load that finds none waits for the end of another.
   *
   * @throws {SvcError} `insufficient_storage` for a store that is larger than all the memory for them
   */
  open(store: DocumentStore, options: { readonly signal: AbortSignal }): Promise<LoadedStore>
  /** Forgets a store. */
  drop(storeId: string): void
  /** Bytes of vectors in memory. */
  readonly bytes: number
}

const BYTES_PER_FLOAT = 4

/** Creates the table of loaded stores. @param maxBytes bytes of vectors in memory. @default 512 MiB */
export function createLoadedStores(queries: Queries, maxBytes: number = DOCUMENT_LIMITS.indexBytes): LoadedStores {
  /** The one that was not used for the longest time comes first. */
  const loaded = new Map<string, LoadedStore>()
  const turns = new Map<string, Promise<unknown>>()

  const measure = (): number => [...loaded.values()].reduce((total, { index }) => total + index.bytes, 0)

  /** Bytes that loads under way add. */
  let reserved = 0
  const waiting: (() => void)[] = []

  /** @returns whether there is room */
  function makeRoom(own: string, bytes: number): boolean {
    const isEnough = (): boolean => measure() + reserved + bytes <= maxBytes
    for (const id of [...loaded.keys()]) {
      if (isEnough()) return true
      if (id !== own) loaded.delete(id)
    }
    return isEnough() || reserved === 0
  }

  async function load(store: DocumentStore, chunks: number, signal: AbortSignal): Promise<LoadedStore> {
    const before = loaded.get(store.id) ?? createLoadedStore()
    const bytes = Math.max(0, chunks * store.dimensions * BYTES_PER_FLOAT - before.index.bytes)
    if (bytes > maxBytes) throw documentsFull('the vectors of the store are larger than the memory for them')
    while (!makeRoom(store.id, bytes)) {
      await new Promise<void>((resolve) => waiting.push(resolve))
      signal.throwIfAborted()
    }
    reserved += bytes
    try {
      const now = await syncStore(before, store, queries, signal)
      loaded.delete(store.id)
      loaded.set(store.id, now)
      return now
    } finally {
      reserved -= bytes
      for (const goOn of waiting.splice(0)) goOn()
    }
  }

  return {
    get bytes() {
      return measure()
    },
    async open(store, { signal }) {
      const before = turns.get(store.id) ?? Promise.resolve()
      const turn = before
        .catch(() => undefined)
        .then(async () => {
          signal.throwIfAborted()
          return load(store, await countChunks(queries, store.id), signal)
        })
        .catch((error: unknown) => {
          // A load that ended early may have added a part of a file.
          loaded.delete(store.id)
          throw error
        })
      turns.set(store.id, turn)
      const forget = (): void => {
        if (turns.get(store.id) === turn) turns.delete(store.id)
      }
      turn.then(forget, forget)
      return turn
    },
    drop(storeId) {
      loaded.delete(storeId)
    },
  }
}

async function countChunks(queries: Queries, storeId: string): Promise<number> {
  const [found] = await queries.rows((db, { documentFiles: files }) =>
    db
      .select({ chunks: sum(files.chunkCount).mapWith(Number) })
      .from(files)
      .where(and(eq(files.storeId, storeId), eq(files.status, 'completed'))),
  )
  return found?.chunks ?? 0
}
