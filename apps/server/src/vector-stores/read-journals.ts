import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { toFileError } from '../files/file-error.ts'
import { keepCopy } from '../files/keep-copy.ts'
import { removeStaleTemporaries } from '../files/temporary-files.ts'
import type { Clock, Logger } from '../ports.ts'
import { listJournals, nameJournal } from './journal-files.ts'
import { openReader } from './journal-reader.ts'
import type { JournalRecord } from './journal-records.ts'
import type { StoreName } from './store-name.ts'

const FOLDER_MODE = 0o700

/** A journal that was read to its last valid record. */
export interface ReadJournal {
  readonly store: StoreName
  /** Bytes of the file that are valid. */
  readonly sizeBytes: number
}

/** Options of {@link readJournals}. */
export interface ReadJournalsOptions {
  readonly folder: string
  /** Called with each change of a store, in order. */
  readonly apply: (store: StoreName, record: Exclude<JournalRecord, { kind: 'name' }>) => Promise<void>
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Reads all journals of a folder, and makes the folder where there is none. A change that a kill has cut off is removed
 * from its file. A file that is damaged elsewhere ends before the damage from now on, and a copy of it is kept. A file
 * that is not a journal stays and is not read.
 *
 * @throws {SvcError} `disk_full`, `file_failed`
 */
export async function readJournals(options: ReadJournalsOptions): Promise<ReadJournal[]> {
  const { folder, clock } = options
  try {
    await mkdir(folder, { recursive: true, mode: FOLDER_MODE })
    await removeStaleTemporaries(folder, { now: clock.now() })
    const found: ReadJournal[] = []
    for (const name of await listJournals(folder)) {
      const journal = await readJournal(name, options)
      if (journal !== undefined) found.push(journal)
    }
    return found
  } catch (error) {
    throw toFileError(error, 'read', folder)
  }
}

async function readJournal(
  name: string,
  { folder, apply, clock, logger }: ReadJournalsOptions,
): Promise<ReadJournal | undefined> {
  const path = join(folder, name)
  const file = await open(path, 'r+')
  try {
    const reader = await openReader(file)
    const first = await reader.next()
    if (first?.kind !== 'name' || nameJournal(first.store) !== name) {
      logger.warn({ file: path }, 'file is not the journal of a vector store')
      return undefined
    }
    const { store } = first
    for (let record = await reader.next(); record !== undefined; record = await reader.next()) {
      if (record.kind !== 'name') await apply(store, record)
    }
    if (reader.at < reader.end) {
      const copy = (await reader.isCutOff()) ? undefined : await keepCopy(path, { word: 'damaged', now: clock.now() })
      logger.warn({ file: path, bytes: reader.end - reader.at, copy }, 'end of the journal of a vector store is lost')
      await file.truncate(reader.at)
      await file.datasync()
    }
    return { store, sizeBytes: reader.at }
  } finally {
    await file.close()
  }
}
