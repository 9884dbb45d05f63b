import type { Clock, Logger } from '../ports.ts'
import { storesFull } from './errors.ts'
import { openJournal } from './journal.ts'
import type { JournalRecord } from './journal-records.ts'
import type { StoreLimits } from './limits.ts'
import { readJournals } from './read-journals.ts'
import { type StoreName, toStoreId } from './store-name.ts'
import { createStoredVectors, measureStore, type StoredVectors } from './stored-vectors.ts'

/** Figures of all stores. */
export interface StoreFigures {
  readonly stores: number
  readonly entries: number
  readonly bytes: number
}

/** The stores by name, in memory and in files. No change of a store may run beside a change of the table. */
export interface StoreTable {
  find(store: StoreName): StoredVectors | undefined
  /** Adds an empty store. @throws {SvcError} `stores_full` */
  create(store: StoreName): StoredVectors
  /** Forgets a store if it has no entries. */
  dropEmpty(stored: StoredVectors): void
  /** @throws {SvcError} `stores_full` when all stores together are too large */
  checkTotals(): void
  measure(): StoreFigures
  /**
   * Reads the files of stores that are not in memory, and writes those that are. A failed call may be repeated.
   *
   * @throws {SvcError} `stores_full`, `disk_full`, `file_failed`
   */
  keep(): Promise<void>
  /** Removes the files. @throws {SvcError} `file_failed` */
  keepNoLonger(): Promise<void>
}

/** Options of {@link createStoreTable}. */
export interface StoreTableOptions {
  readonly folder: string
  readonly limits: StoreLimits
  readonly clock: Clock
  readonly logger: Logger
}

/** Creates a table without stores, which keeps no files. */
export function createStoreTable({ folder, limits, clock, logger }: StoreTableOptions): StoreTable {
  const stores = new Map<string, StoredVectors>()
  let isKept = false

  const find = (store: StoreName): StoredVectors | undefined => stores.get(toStoreId(store))

  function create(store: StoreName): StoredVectors {
    if (stores.size >= limits.maxStores) throw storesFull(`there are at most ${limits.maxStores} stores`)
    const stored = createStoredVectors(store, limits)
    if (isKept) stored.journal = openJournal(store, { folder, sizeBytes: 0 })
    stores.set(toStoreId(store), stored)
    return stored
  }

  function dropEmpty({ store, index }: StoredVectors): void {
    if (index.size === 0) stores.delete(toStoreId(store))
  }

  function measure(): StoreFigures {
    let [entries, bytes] = [0, 0]
    for (const stored of stores.values()) {
      entries += stored.index.size
      bytes += measureStore(stored)
    }
    return { stores: stores.size, entries, bytes }
  }

  function checkTotals(): void {
    const { entries, bytes } = measure()
    if (entries > limits.maxTotalEntries) throw storesFull(`they hold at most ${limits.maxTotalEntries} entries`)
    if (bytes > limits.maxTotalBytes) throw storesFull(`they hold at most ${limits.maxTotalBytes} bytes`)
  }

  /**
   * Adds the stores of the files. Their totals are not checked: on the way to the last record they may be above what
   * they were at any time.
   *
   * @param isRead whether the file of a store is read
   */
  async function readFiles(isRead: (store: StoreName) => boolean): Promise<void> {
    const { signal } = new AbortController()
    const apply = async (store: StoreName, record: Exclude<JournalRecord, { kind: 'name' }>): Promise<void> => {
      if (!isRead(store)) return
      const { index } = find(store) ?? create(store)
      if (record.kind === 'set') await index.set(record.entries, { signal })
      else await index.delete(record.keys, { signal })
    }
    for (const { store, sizeBytes } of await readJournals({ folder, apply, clock, logger })) {
      const stored = isRead(store) ? find(store) : undefined
      if (stored !== undefined) stored.journal = openJournal(store, { folder, sizeBytes })
    }
  }

  async function keep(): Promise<void> {
    if (isKept) return
    const inMemory = new Set(stores.keys())
    try {
      await readFiles((store) => !inMemory.has(toStoreId(store)))
    } catch (error) {
      for (const id of [...stores.keys()]) if (!inMemory.has(id)) stores.delete(id)
      throw error
    }
    isKept = true
    for (const [id, stored] of [...stores]) {
      stored.journal ??= openJournal(stored.store, { folder, sizeBytes: 0 })
      if (inMemory.has(id)) await stored.journal.rewrite(stored.index.entries())
      if (stored.index.size > 0) continue
      await stored.journal.remove()
      dropEmpty(stored)
    }
  }

  async function keepNoLonger(): Promise<void> {
    isKept = false
    for (const stored of stores.values()) {
      const { journal } = stored
      stored.journal = undefined
      await journal?.remove()
    }
  }

  return { find, create, dropEmpty, checkTotals, measure, keep, keepNoLonger }
}
