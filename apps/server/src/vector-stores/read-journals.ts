import { type FileHandle, mkdir, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { toFileError } from '../files/file-error.ts'
import { keepCopy } from '../files/keep-copy.ts'
import { removeStaleTemporaries } from '../files/temporary-files.ts'
import type { Clock, Logger } from '../ports.ts'
import { JOURNAL_ENDING, MAGIC, nameJournal } from './journal.ts'
import { FRAME_BYTES, type JournalRecord, readFrame, readRecord } from './journal-records.ts'
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
 * from its file. Of a file that is damaged elsewhere a copy is kept. A file that is not a journal stays and is not read.
 *
 * @throws {SvcError} `file_failed`
 */
export async function readJournals(options: ReadJournalsOptions): Promise<ReadJournal[]> {
  const { folder, clock } = options
  try {
    await mkdir(folder, { recursive: true, mode: FOLDER_MODE })
    await removeStaleTemporaries(folder, { now: clock.now() })
    const names = (await readdir(folder)).filter((name) => name.endsWith(JOURNAL_ENDING)).sort()
    const found: ReadJournal[] = []
    for (const name of names) {
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
      const copy = reader.isCutOff ? undefined : await keepCopy(path, { word: 'damaged', now: clock.now() })
      logger.warn({ file: path, bytes: reader.end - reader.at, copy }, 'end of the journal of a vector store is lost')
      await file.truncate(reader.at)
      await file.datasync()
    }
    return { store, sizeBytes: reader.at }
  } finally {
    await file.close()
  }
}

/** Reads the records of a file, one after the other. */
interface RecordReader {
  /** End of the last valid record. */
  readonly at: number
  /** Size of the file. */
  readonly end: number
  /** Whether the file ends inside of the record that could not be read. */
  readonly isCutOff: boolean
  next(): Promise<JournalRecord | undefined>
}

async function openReader(file: FileHandle): Promise<RecordReader> {
  const { size: end } = await file.stat()
  let at = 0
  let isCutOff = false
  const read = async (from: number, length: number): Promise<Buffer | undefined> => {
    if (from + length > end) {
      isCutOff = true
      return undefined
    }
    const bytes = Buffer.allocUnsafe(length)
    let filled = 0
    while (filled < length) {
      const { bytesRead } = await file.read(bytes, filled, length - filled, from + filled)
      if (bytesRead === 0) return undefined
      filled += bytesRead
    }
    return bytes
  }
  return {
    get at() {
      return at
    },
    end,
    get isCutOff() {
      return isCutOff
    },
    async next() {
      const start = at === 0 ? MAGIC.length : at
      if (at === 0 && (await read(0, MAGIC.length))?.equals(MAGIC) !== true) return undefined
      const frame = start < end ? await read(start, FRAME_BYTES) : undefined
      if (frame === undefined) return undefined
      const { length, checksum } = readFrame(frame)
      const content = await read(start + FRAME_BYTES, length)
      const record = content && readRecord(content, checksum)
      if (record === undefined) {
        // A power cut may leave the last record with its length and without its bytes.
        isCutOff ||= start + FRAME_BYTES + length === end
        return undefined
      }
      at = start + FRAME_BYTES + length
      return record
    },
  }
}
