import { join } from 'node:path'
import { SvcError } from '@svc/errors'
import type { FoundEntry, Vector, VectorEntry } from '@svc/router/vector'
import type { Clock, Logger } from '../ports.ts'
import { replyTooLarge } from './errors.ts'
import { createKeeping } from './keeping.ts'
import { STORE_LIMITS, type StoreLimits } from './limits.ts'
import { type StoreName, toStoreId } from './store-name.ts'
import { createStoreTable, type StoreFigures } from './store-table.ts'
import { deleteEntries, setEntries } from './stored-vectors.ts'
import { createWriteTurns } from './write-turns.ts'

interface CallOptions {
  readonly signal: AbortSignal
}

/**
 * Named stores of vectors in this process, with exact search by cosine. A store exists from its first entry to the
 * removal of its last one, and all its keys have the length of the first.
 *
 * Every method rejects with the signal's reason once the signal is aborted, and with `VectorError` for keys that do not
 * fit. A change that has begun is finished.
 */
export interface VectorStores {
  /**
   * Adds all entries or none. An equal key gets the new value.
   *
   * @throws {SvcError} `stores_full`, `stores_busy`, `disk_full`, `file_failed`
   */
  set(store: StoreName, entries: readonly VectorEntry[], options: CallOptions): Promise<void>
  /** Gives the entries under these keys, in the order of the keys. A key without entry is left out. */
  get(store: StoreName, keys: readonly Vector[], options: CallOptions): Promise<readonly VectorEntry[]>
  /** Removes the entries under these keys. @returns how many there were. @throws as {@link set} */
  delete(store: StoreName, keys: readonly Vector[], options: CallOptions): Promise<number>
  /** Gives the entries nearest to a vector, the nearest first. */
  find(
    store: StoreName,
    query: Vector,
    options: CallOptions & { readonly count: number },
  ): Promise<readonly FoundEntry[]>
  /**
   * Keeps the stores in files from now on, or no longer. To keep them reads stores of earlier files; a store in memory
   * replaces its file. To keep them no longer removes the files.
   *
   * When the stores cannot be kept, every change is refused with that failure until a new attempt succeeds, so that no
   * change is confirmed that a restart would lose. Changes begin attempts, at most one a second.
   *
   * @throws {SvcError} `disk_full`, `file_failed`
   */
  keep(isKept: boolean): Promise<void>
  readonly figures: StoreFigures
  /** Waits for changes under way. */
  close(): Promise<void>
}

/** Options of {@link openVectorStores}. */
export interface VectorStoresOptions {
  /** The folder of the files. The caller holds a lock around it. */
  readonly folder: string
  readonly isKept: boolean
  readonly limits?: Partial<StoreLimits> | undefined
  /** Throws where the lock is lost, so that nothing is written any more. */
  readonly checkAccess: () => void
  readonly clock: Clock
  readonly logger: Logger
}

/** Most bytes of the keys and values of one reply. */
const MAX_REPLY_BYTES = 64 * 1024 * 1024

/** Converts the refusal of a reply that is too large. A store that is absent gives nothing. */
async function limitReply<Entry>(reading: Promise<readonly Entry[]> | undefined): Promise<readonly Entry[]> {
  try {
    return (await reading) ?? []
  } catch (error) {
    throw SvcError.is(error) && error.code === 'vector_limit' ? replyTooLarge(error) : error
  }
}

/** The folder of the stores in the data path. */
const STORES_FOLDER = 'vector-stores'

/** Opens the stores, with the entries of their files where they are kept. */
export async function openVectorStores(options: VectorStoresOptions): Promise<VectorStores> {
  const limits = { ...STORE_LIMITS, ...options.limits }
  const turns = createWriteTurns(limits)
  const table = createStoreTable({ ...options, limits })
  const keeping = createKeeping({ table, turns, clock: options.clock })
  if (options.isKept) await keeping.follow(true)
  return {
    async set(store, entries, { signal }) {
      signal.throwIfAborted()
      if (entries.length === 0) return
      await keeping.prepare()
      await turns.inTurn(toStoreId(store), async () => {
        signal.throwIfAborted()
        keeping.check()
        const stored = table.find(store) ?? table.create(store)
        try {
          await setEntries(stored, entries, table.checkTotals)
        } catch (error) {
          if (stored.index.size === 0) await stored.journal?.remove().catch(() => undefined)
          table.dropEmpty(stored)
          throw error
        }
      })
    },
    async get(store, keys, { signal }) {
      signal.throwIfAborted()
      return limitReply(table.find(store)?.index.get(keys, { signal, maxBytes: MAX_REPLY_BYTES }))
    },
    async delete(store, keys, { signal }) {
      signal.throwIfAborted()
      await keeping.prepare()
      return turns.inTurn(toStoreId(store), async () => {
        signal.throwIfAborted()
        keeping.check()
        const stored = table.find(store)
        if (stored === undefined) return 0
        try {
          return await deleteEntries(stored, keys)
        } finally {
          table.dropEmpty(stored)
        }
      })
    },
    async find(store, query, { count, signal }) {
      signal.throwIfAborted()
      return limitReply(table.find(store)?.index.find(query, { count, signal, maxBytes: MAX_REPLY_BYTES }))
    },
    keep: keeping.follow,
    get figures() {
      return table.measure()
    },
    close: () => turns.alone(async () => undefined),
  }
}

/** Gives the folder of the stores. */
export function findStoresFolder({ dataPath }: { readonly dataPath: string }): string {
  return join(dataPath, STORES_FOLDER)
}
