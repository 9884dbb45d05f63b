import type { Database } from '../db/database.ts'
import type { Clock } from '../ports.ts'
import { createInterruptedRuns } from './interrupted-runs.ts'
import { createResponseReads } from './read-responses.ts'
import type { ResponseStore } from './stored-response.ts'
import { createTrimming } from './trim-responses.ts'
import { createResponseWrites } from './write-responses.ts'

/** Options of {@link createResponseStore}. */
export interface ResponseStoreOptions {
  readonly database: Database
  /** Time for which responses are kept, milliseconds; 0 = no limit in time. */
  readonly ttlMs: () => number
  readonly clock: Clock
  /** @default 1 GiB */
  readonly maxTotalBytes?: number | undefined
}

/** Creates the store on the server's database. */
export function createResponseStore(options: ResponseStoreOptions): ResponseStore {
  const { database, clock, ttlMs, maxTotalBytes } = options
  const { queries } = database
  const { failRun, failInterrupted } = createInterruptedRuns({ database, clock })
  const { find, read, readEvents, findItem } = createResponseReads({ database, clock, ttlMs, failRun })
  const { remove, trim, count } = createTrimming({ queries, clock, ttlMs, maxTotalBytes })
  return {
    ...createResponseWrites({ database, clock, count }),
    read,
    readEvents,
    findItem,
    async delete(id, reader) {
      const row = await find(id, reader)
      if (row !== undefined) await remove([id])
      return row !== undefined
    },
    failInterrupted,
    trim,
  }
}
