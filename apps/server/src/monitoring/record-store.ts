import { createRing, type RecordReader, type RequestFacts } from './recorders.ts'

/** Maximum number of records in memory. */
const RECORDS_KEPT = 128

/** Records entries of one kind and reads them back. */
export interface RecordStore<Entry extends RequestFacts> extends RecordReader<Entry> {
  record(entry: Entry): void
}

/**
 * Creates a store in memory with the newest records, lost with the process. @param capacity maximum number of records,
 * at least 1
 */
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
