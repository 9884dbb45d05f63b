import { count, eq, inArray, type SQL, sum } from 'drizzle-orm'
import type { Queries } from '../db/queries.ts'
import type { Tables } from '../db/schema.ts'
import type { DocumentCounts, DocumentStatus } from './document-store.ts'

const NONE: DocumentCounts = { in_progress: 0, completed: 0, failed: 0, cancelled: 0, total: 0, usageBytes: 0 }

/** Counts the files of stores. @returns the counts by store; a store without files is there too */
export async function countFilesOfStores(
  queries: Queries,
  storeIds: readonly string[],
): Promise<(storeId: string) => DocumentCounts> {
  const counts = await countFiles(queries, (files) => inArray(files.storeId, [...storeIds]), 'storeId')
  return (storeId) => counts.get(storeId) ?? NONE
}

/** Counts the files of a batch. */
export async function countFilesOfBatch(queries: Queries, batchId: string): Promise<DocumentCounts> {
  const counts = await countFiles(queries, (files) => eq(files.batchId, batchId), 'batchId')
  return counts.get(batchId) ?? NONE
}

async function countFiles(
  queries: Queries,
  where: (files: Tables['documentFiles']) => SQL,
  by: 'storeId' | 'batchId',
): Promise<ReadonlyMap<string, DocumentCounts>> {
  const rows = await queries.rows((db, { documentFiles: files }) =>
    db
      .select({
        key: files[by],
        status: files.status,
        files: count(),
        bytes: sum(files.usageBytes).mapWith(Number),
      })
      .from(files)
      .where(where(files))
      .groupBy(files[by], files.status),
  )
  const counts = new Map<string, DocumentCounts>()
  for (const { key, status, files, bytes } of rows) {
    const before = counts.get(key) ?? NONE
    const state = status as DocumentStatus
    counts.set(key, {
      ...before,
      [state]: before[state] + Number(files),
      total: before.total + Number(files),
      usageBytes: before.usageBytes + (bytes ?? 0),
    })
  }
  return counts
}
