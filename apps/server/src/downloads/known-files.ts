import { asc, desc, eq, inArray } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import type { Clock } from '../ports.ts'

/** Files of this machine by their content, so that none is fetched twice. */
export interface KnownFiles {
  /** Paths of files that had this content when they were noted, the latest first. */
  find(sha256: string): Promise<readonly string[]>
  /** All files with the time when each was noted, in milliseconds since the epoch, by their paths. */
  list(): Promise<ReadonlyMap<string, number>>
  /** Notes the content of a file. */
  add(file: { readonly path: string; readonly sha256: string }): Promise<void>
  /** Forgets files that are gone. */
  remove(paths: readonly string[]): Promise<void>
}

/** Files that are remembered; the oldest are forgotten beyond it. */
const MAX_FILES = 10_000
/** Candidates for one content. */
const MAX_FOUND = 4

/** The known files in the database. */
export function createKnownFiles({
  database: { queries },
  clock,
  maxFiles = MAX_FILES,
}: {
  readonly database: Pick<Database, 'queries'>
  readonly clock: Clock
  readonly maxFiles?: number | undefined
}): KnownFiles {
  return {
    async find(sha256) {
      const rows = await queries.rows((db, { knownFiles }) =>
        db
          .select({ path: knownFiles.path })
          .from(knownFiles)
          .where(eq(knownFiles.sha256, sha256))
          .orderBy(desc(knownFiles.notedAt), asc(knownFiles.path))
          .limit(MAX_FOUND),
      )
      return rows.map(({ path }) => path)
    },
    async list() {
      const rows = await queries.rows((db, { knownFiles }) =>
        db.select({ path: knownFiles.path, notedAt: knownFiles.notedAt }).from(knownFiles).limit(maxFiles),
      )
      return new Map(rows.map(({ path, notedAt }) => [path, notedAt]))
    },
    async add({ path, sha256 }) {
      await queries.transaction(async (transaction) => {
        await transaction.change((db, { knownFiles }) => db.delete(knownFiles).where(eq(knownFiles.path, path)))
        await transaction.change((db, { knownFiles }) =>
          db.insert(knownFiles).values({ path, sha256, notedAt: clock.now() }),
        )
        await transaction.change((db, { knownFiles }) => {
          const surplus = db
            .select({ path: knownFiles.path })
            .from(knownFiles)
            .orderBy(desc(knownFiles.notedAt))
            .limit(100)
            .offset(maxFiles)
          return db.delete(knownFiles).where(inArray(knownFiles.path, surplus))
        })
      })
    },
    async remove(paths) {
      if (paths.length === 0) return
      await queries.change((db, { knownFiles }) => db.delete(knownFiles).where(inArray(knownFiles.path, [...paths])))
    },
  }
}
