import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { inArray } from 'drizzle-orm'
import { GENERATED_KINDS } from './kinds.ts'
import type { FileTrimmingParts } from './trim-files.ts'

/** A younger file may be one whose row this process does not see yet. */
const LEAST_AGE_MS = 3_600_000
const BATCH = 500

/**
 * Removes files whose rows another front end has removed.
 *
 * @param isName tells names that the store gives from others, which stay
 */
export async function sweepFiles(
  { folder, database, clock }: Pick<FileTrimmingParts, 'folder' | 'database' | 'clock'>,
  isName: (name: string) => boolean,
): Promise<void> {
  for (const kind of Object.keys(GENERATED_KINDS)) {
    const names = (await readdir(join(folder, kind)).catch(() => [])).filter(isName)
    for (let at = 0; at < names.length; at += BATCH) {
      const part = names.slice(at, at + BATCH)
      const known = await database.queries.rows((db, { generatedFiles: files }) =>
        db.select({ name: files.name }).from(files).where(inArray(files.name, part)),
      )
      const kept = new Set(known.map(({ name }) => name))
      for (const name of part.filter((each) => !kept.has(each))) {
        const path = join(folder, kind, name)
        const found = await stat(path).catch(() => undefined)
        if (found !== undefined && clock.now() - found.mtimeMs > LEAST_AGE_MS) await rm(path, { force: true })
      }
    }
  }
}
