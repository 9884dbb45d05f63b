import type { FileHandle } from 'node:fs/promises'
import { FRAME_BYTES, type JournalRecord, MAGIC, measureRecord, readFrame, readRecord } from './journal-records.ts'

/** Reads the records of a file, one after the other. */
export interface JournalReader {
  /** End of the last valid record. */
  readonly at: number
  /** Size of the file. */
  readonly end: number
  /** Gives the next record; undefined at the end of the file, and at a record that cannot be read. */
  next(): Promise<JournalRecord | undefined>
  /**
   * Whether the bytes behind the last valid record are the beginning of one record whose write a kill or a power cut has
   * ended. Other bytes may hold changes that were acknowledged.
   */
  isCutOff(): Promise<boolean>
}

/** Bytes that are compared with zeros at a time. */
const SLICE_BYTES = 64 * 1024

/** Opens a reader at the beginning of a file. */
export async function openReader(file: FileHandle): Promise<JournalReader> {
  const { size: end } = await file.stat()
  let at = 0

  async function read(from: number, length: number): Promise<Buffer | undefined> {
    if (from + length > end) return undefined
    const bytes = Buffer.allocUnsafe(length)
    let filled = 0
    while (filled < length) {
      const { bytesRead } = await file.read(bytes, filled, length - filled, from + filled)
      if (bytesRead === 0) return undefined
      filled += bytesRead
    }
    return bytes
  }

  /** Whether only zeros follow: a power cut may leave the length of a file without its bytes. */
  async function isZero(): Promise<boolean> {
    for (let from = at; from < end; from += SLICE_BYTES) {
      const slice = await read(from, Math.min(SLICE_BYTES, end - from))
      if (slice?.every((byte) => byte === 0) !== true) return false
    }
    return true
  }

  return {
    get at() {
      return at
    },
    end,
    async next() {
      const start = at === 0 ? MAGIC.length : at
      if (at === 0 && (await read(0, MAGIC.length))?.equals(MAGIC) !== true) return undefined
      const frame = await read(start, FRAME_BYTES)
      if (frame === undefined) return undefined
      const { length, checksum } = readFrame(frame)
      const content = await read(start + FRAME_BYTES, length)
      const record = content && readRecord(content, checksum)
      if (record !== undefined) at = start + FRAME_BYTES + length
      return record
    },
    async isCutOff() {
      const frame = await read(at, FRAME_BYTES)
      if (frame === undefined || (await isZero())) return true
      const start = at + FRAME_BYTES
      const { length } = readFrame(frame)
      if (start + length <= end) return false
      // A length that is damaged reaches beyond the end too, but the record itself does not.
      const needed = await measureRecord((from, count) => read(start + from, count))
      return needed === undefined || needed === length
    },
  }
}
