import { randomBytes } from 'node:crypto'
import { and, eq, gt, inArray, ne, notInArray } from 'drizzle-orm'
import { databaseNow } from '../cluster/nodes/database-time.ts'
import type { Database } from '../db/database.ts'
import type { DatabaseQueries } from '../db/queries.ts'
import { removeChunksInParts } from './removal.ts'

/** Options of {@link adoptFiles}. */
export interface AdoptionOptions {
  readonly database: { readonly queries: DatabaseQueries } & Pick<Database, 'dialect'>
  /** Id of this server. */
  readonly server: string
}

/** Files at a time; the next look finds the others. */
const BATCH = 50

/**
 * Takes over files that wait to be indexed by a front end that is gone, where the database has their bytes. Each gets a
 * new run, so that a front end that comes back adds nothing to it.
 *
 * @returns the number of files
 */
export async function adoptFiles({ database: { queries, dialect }, server }: AdoptionOptions): Promise<number> {
  const found = await queries.rows((db, { documentFiles: files, frontEnds, filePieces: pieces }) =>
    db
      .select({ storeId: files.storeId, id: files.id, run: files.run, server: files.server })
      .from(files)
      .where(
        and(
          eq(files.status, 'in_progress'),
          ne(files.server, server),
          notInArray(
            files.server,
            db
              .select({ id: frontEnds.id })
              .from(frontEnds)
              .where(gt(frontEnds.leaseUntil, databaseNow(dialect))),
          ),
          inArray(files.id, db.select({ file: pieces.file }).from(pieces).where(eq(pieces.piece, 0))),
        ),
      )
      .limit(BATCH),
  )
  let adopted = 0
  for (const file of found) {
    const { storeId, id, run } = file
    const taken = await queries.change((db, { documentFiles: files }) =>
      db
        .update(files)
        .set({ server, run: randomBytes(8).toString('hex'), usageBytes: 0 })
        .where(
          and(
            eq(files.storeId, storeId),
            eq(files.id, id),
            eq(files.run, run),
            eq(files.server, file.server),
            eq(files.status, 'in_progress'),
          ),
        ),
    )
    if (taken === 0) continue
    adopted += 1
    await removeChunksInParts(queries, { storeId, id, run })
    await queries.change((db, { documentChunks: chunks }) =>
      db.delete(chunks).where(and(eq(chunks.storeId, storeId), eq(chunks.fileId, id), eq(chunks.run, run))),
    )
  }
  return adopted
}
