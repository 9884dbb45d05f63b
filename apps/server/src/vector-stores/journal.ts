import { open, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { VectorEntry } from '@svc/router/vector'
import { readSystemCode, toFileError } from '../files/file-error.ts'
import { keepCopy } from '../files/keep-copy.ts'
import { writeFully } from '../files/private-files.ts'
import { writeFileAtomic } from '../files/write-file-atomic.ts'
import type { Clock } from '../ports.ts'
import { isJournal, nameJournal } from './journal-files.ts'
import { type JournalRecord, MAGIC, writeRecord } from './journal-records.ts'
import type { StoreName } from './store-name.ts'

const FILE_MODE = 0o600
/** Entries of one record of a rewritten journal. */
const ENTRIES_PER_RECORD = 256
/** Keys and values after which a record of a rewritten journal ends. */
const BYTES_PER_RECORD = 1024 * 1024
/** A journal that is smaller is not rewritten. */
const SMALLEST_REWRITE_BYTES = 1024 * 1024

/** The file of one store: its changes in order. Only one call may run at a time. */
export interface Journal {
  /**
   * Adds a change. It is on disk when this resolves. When this throws, the change may be in the file until the next
   * call.
   *
   * @param entries gives the entries with the change, for a file that has to be written anew
   * @throws {SvcError} `disk_full`, `file_failed`
   */
  append(record: JournalRecord, entries: () => Iterable<VectorEntry>): Promise<void>
  /** Whether the file is much larger than entries of that many bytes. */
  isWasteful(liveBytes: number): boolean
  /** Replaces the file by one with these entries. @throws {SvcError} `disk_full`, `file_failed` */
  rewrite(entries: Iterable<VectorEntry>): Promise<void>
  /** Removes the file. @throws {SvcError} `file_failed` */
  remove(): Promise<void>
}

/** Options of {@link openJournal}. */
export interface JournalOptions {
  readonly folder: string
  /** Bytes of the file that are valid; 0 for a store whose file was not read. */
  readonly sizeBytes: number
  /** Throws where this process may no longer write in the folder. */
  readonly checkAccess: () => void
  readonly clock: Pick<Clock, 'now'>
}

/** Opens the journal of a store. Every method throws as `checkAccess` does. */
export function openJournal(store: StoreName, { folder, sizeBytes, checkAccess, clock }: JournalOptions): Journal {
  const path = join(folder, nameJournal(store))
  let size = sizeBytes
  /** Whether the file is known to hold the changes up to `size`, and nothing else. */
  let isKnown = sizeBytes > 0
  /** Whether the file, if there is one, was read or written by this journal. */
  let isOwn = sizeBytes > 0
  let leastRewrite = SMALLEST_REWRITE_BYTES

  /** Whether there is a file in the place of this one that is not a journal, for example one with a damaged head. */
  async function isForeign(): Promise<boolean> {
    if (isOwn) return false
    return isJournal(path).then(
      (found) => found === false,
      (error: unknown) => {
        throw toFileError(error, 'read', path)
      },
    )
  }

  async function write(records: Iterable<JournalRecord>): Promise<void> {
    let written = 0
    function* pieces(): Generator<Uint8Array> {
      for (const piece of [MAGIC, writeRecord({ kind: 'name', store })]) {
        written += piece.length
        yield piece
      }
      for (const record of records) {
        const piece = writeRecord(record)
        written += piece.length
        yield piece
      }
    }
    isKnown = false
    if (await isForeign()) await keepCopy(path, { word: 'damaged', now: clock.now() })
    await writeFileAtomic(path, pieces(), { mode: FILE_MODE })
    size = written
    isKnown = true
    isOwn = true
  }

  /** Whether nobody else has changed the file. */
  async function isAsLeft(): Promise<boolean> {
    return stat(path).then(
      (found) => found.size === size,
      () => false,
    )
  }

  async function add(bytes: Uint8Array): Promise<void> {
    const file = await open(path, 'r+')
    try {
      await writeFully(file, bytes, size)
      await file.datasync()
      size += bytes.length
    } catch (error) {
      isKnown = await file.truncate(size).then(
        () => true,
        () => false,
      )
      throw error
    } finally {
      await file.close()
    }
  }

  return {
    async append(record, entries) {
      checkAccess()
      if (!isKnown || !(await isAsLeft())) return await write(groupEntries(entries()))
      try {
        await add(writeRecord(record))
      } catch (error) {
        throw toFileError(error, 'written', path)
      }
    },
    isWasteful: (liveBytes) => size > Math.max(leastRewrite, 2 * liveBytes),
    async rewrite(entries) {
      checkAccess()
      // A failed attempt is not repeated with each change.
      leastRewrite = Math.max(SMALLEST_REWRITE_BYTES, 2 * size)
      await write(groupEntries(entries))
      leastRewrite = SMALLEST_REWRITE_BYTES
    },
    async remove() {
      checkAccess()
      if (await isForeign()) return
      isKnown = false
      await unlink(path).catch((error: unknown) => {
        if (readSystemCode(error) !== 'ENOENT') throw toFileError(error, 'removed', path)
      })
    },
  }
}

function* groupEntries(entries: Iterable<VectorEntry>): Generator<JournalRecord> {
  let group: VectorEntry[] = []
  let bytes = 0
  for (const entry of entries) {
    group.push(entry)
    bytes += entry.key.length * Float32Array.BYTES_PER_ELEMENT + entry.value.length
    if (group.length < ENTRIES_PER_RECORD && bytes < BYTES_PER_RECORD) continue
    yield { kind: 'set', entries: group }
    group = []
    bytes = 0
  }
  if (group.length > 0) yield { kind: 'set', entries: group }
}
