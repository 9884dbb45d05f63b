import { and, asc, eq, notInArray } from 'drizzle-orm'
import type { Queries } from '../db/queries.ts'
import type { DocumentFile } from './document-store.ts'

/** The files that wait to be indexed by a server. */
export interface WaitingFiles {
  /**
   * Finds the next file. Owners take turns: one with many files does not keep the others waiting.
   *
   * @param resting owners whose files wait
   * @param running files that are being indexed
   */
  next(resting: ReadonlySet<string>, running: readonly DocumentFile[]): Promise<DocumentFile | undefined>
}

/** Owners of one round. */
const MAX_TURNS = 200

/** Creates the queue of a server, which is in the database. */
export function createWaitingFiles(queries: Queries, server: string): WaitingFiles {
  /** Owners that had their turn in this round. */
  const served = new Set<string>()

  async function findOldest(
    passed: ReadonlySet<string>,
    running: readonly DocumentFile[],
  ): Promise<DocumentFile | undefined> {
    const rows = await queries.rows((db, { documentFiles: files }) =>
      db
        .select()
        .from(files)
        .where(
          and(
            eq(files.status, 'in_progress'),
            eq(files.server, server),
            passed.size > 0 ? notInArray(files.owner, [...passed]) : undefined,
          ),
        )
        .orderBy(asc(files.createdAt), asc(files.id))
        .limit(running.length + 1),
    )
    return rows.find(({ storeId, run }) => !running.some((file) => file.storeId === storeId && file.run === run))
  }

  return {
    async next(resting, running) {
      const isRound = served.size > 0 && served.size < MAX_TURNS
      let file = isRound ? await findOldest(new Set([...resting, ...served]), running) : undefined
      if (file === undefined) {
        served.clear()
        file = await findOldest(resting, running)
      }
      if (file !== undefined) served.add(file.owner)
      return file
    },
  }
}
