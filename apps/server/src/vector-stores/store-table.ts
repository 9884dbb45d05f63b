import { storesFull } from './errors.ts'
import { openJournal } from './journal.ts'
import { createStoreFiles, type StoreFiles, type StoreFilesOptions } from './store-files.ts'
import { type StoreName, toStoreId } from './store-name.ts'
import { createStoredVectors, measureStore, type StoredVectors } from './stored-vectors.ts'

/** Figures of all stores. */
export interface StoreFigures {
  readonly stores: number
  readonly entries: number
  readonly bytes: number
}

/** The stores by name, in memory and in files. No change of a store may run beside a change of the table. */
export interface StoreTable extends StoreFiles {
  find(store: StoreName): StoredVectors | undefined
  /** Adds an empty store. @throws {SvcError} `stores_full` */
  create(store: StoreName): StoredVectors
  /** Forgets a store if it has no entries. */
  dropEmpty(stored: StoredVectors): void
  /** @throws {SvcError} `stores_full` when all stores together are too large */
  checkTotals(): void
  measure(): StoreFigures
}

/** Creates a table without stores, which keeps no files. */
export function createStoreTable(options: StoreFilesOptions): StoreTable {
  const { limits } = options
  const stores = new Map<string, StoredVectors>()

  const find = (store: StoreName): StoredVectors | undefined => stores.get(toStoreId(store))

  function create(store: StoreName): StoredVectors {
    if (stores.size >= limits.maxStores) throw storesFull(`there are at most ${limits.maxStores} stores`)
    const stored = createStoredVectors(store, limits)
    if (files.isKept) stored.journal = openJournal(store, { ...options, sizeBytes: 0 })
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

  const files = createStoreFiles(options, { stores, find, create, dropEmpty })
  return {
    find,
    create,
    dropEmpty,
    checkTotals,
    measure,
    get isKept() {
      return files.isKept
    },
    keep: files.keep,
    keepNoLonger: files.keepNoLonger,
  }
}
