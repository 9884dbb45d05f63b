import { createRing, type RecordReader, type RequestFacts } from './recorders.ts'

/** Records that a store in memory keeps. */
const RECORDS_KEPT = 128

/** Takes records of one kind and reads them back. */
export interface RecordStore<Entry extends RequestFacts> extends RecordReader<Entry> {
  record(entry: Entry): void
}

/** A store in memory: the newest records, gone with the process. @param capacity records kept, at least 1 */
export function createRecordStore<Entry extends RequestFacts>(capacity = RECORDS_KEPT): RecordStore<Entry> {
  const ring = createRing<Entry>(capacity)
  return {
    record: (entry) => ring.record(entry),
    async list({ since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY, principalId, limit }, { signal }) {
      signal.throwIfAborted()
      return ring
        .entries()
        .filter((entry) => entry.at >= since && entry.at < until)
        .filter((entry) => principalId === undefined || entry.principalId === principalId)
        .reverse()
        .slice(0, limit)
    },
  }
}
