import type { Clock, Logger } from '../ports.ts'
import { openJournal } from './journal.ts'
import { removeJournals } from './journal-files.ts'
import type { JournalRecord } from './journal-records.ts'
import type { StoreLimits } from './limits.ts'
import { readJournals } from './read-journals.ts'
import { type StoreName, toStoreId } from './store-name.ts'
import type { StoredVectors } from './stored-vectors.ts'

/** The files of the stores of a table. */
export interface StoreFiles {
  /** Whether every change is written to a file. */
  readonly isKept: boolean
  /**
   * Reads the files of stores that are not in memory, and writes those that are. After a failed call the stores are not
   * kept, and it may be repeated.
   *
   * @throws {SvcError} `stores_full`, `disk_full`, `file_failed`
   */
  keep(): Promise<void>
  /**
   * Removes the files, also those that were not read. The stores are not kept from then on, even where a file cannot be
   * removed; {@link keep} then removes it first, so that its entries do not come back.
   *
   * @throws {SvcError} `file_failed` when all others are removed
   */
  keepNoLonger(): Promise<void>
}

/** The stores in memory. */
export interface StoresInMemory {
  readonly stores: Map<string, StoredVectors>
  find(store: StoreName): StoredVectors | undefined
  create(store: StoreName): StoredVectors
  dropEmpty(stored: StoredVectors): void
}

/** Options of {@link createStoreFiles}. */
export interface StoreFilesOptions {
  readonly folder: string
  readonly limits: StoreLimits
  /** Throws where this process may no longer write in the folder. */
  readonly checkAccess: () => void
  readonly clock: Clock
  readonly logger: Logger
}

/** Creates the files of a table. There are none until they are asked for. */
export function createStoreFiles(
  options: StoreFilesOptions,
  { stores, find, create, dropEmpty }: StoresInMemory,
): StoreFiles {
  const { folder, checkAccess, clock, logger } = options
  let isKept = false
  /** Whether files are still there that were to be removed. */
  let hasLeftovers = false

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
      if (stored !== undefined) stored.journal = openJournal(store, { ...options, sizeBytes })
    }
  }

  /** Gives each store a file with its entries. @param inMemory ids of the stores whose files were not read */
  async function writeFiles(inMemory: ReadonlySet<string>): Promise<void> {
    for (const [id, stored] of [...stores]) {
      stored.journal ??= openJournal(stored.store, { ...options, sizeBytes: 0 })
      if (inMemory.has(id)) await stored.journal.rewrite(stored.index.entries())
      if (stored.index.size > 0) continue
      await stored.journal.remove()
      dropEmpty(stored)
    }
  }

  async function removeFiles(): Promise<void> {
    hasLeftovers = true
    checkAccess()
    await removeJournals(folder)
    hasLeftovers = false
  }

  async function keep(): Promise<void> {
    if (isKept) return
    checkAccess()
    if (hasLeftovers) await removeFiles()
    const inMemory = new Set(stores.keys())
    try {
      await readFiles((store) => !inMemory.has(toStoreId(store)))
      await writeFiles(inMemory)
    } catch (error) {
      for (const [id, stored] of [...stores]) {
        stored.journal = undefined
        if (!inMemory.has(id)) stores.delete(id)
      }
      throw error
    }
    isKept = true
  }

  async function keepNoLonger(): Promise<void> {
    isKept = false
    for (const stored of stores.values()) stored.journal = undefined
    await removeFiles()
  }

  return {
    get isKept() {
      return isKept
    },
    keep,
    keepNoLonger,
  }
}
