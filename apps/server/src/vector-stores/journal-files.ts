import { createHash } from 'node:crypto'
import { open, readdir, unlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { readSystemCode, toFileError } from '../files/file-error.ts'
import { openReader } from './journal-reader.ts'
import type { StoreName } from './store-name.ts'

/** Ending of the names of journals. */
export const JOURNAL_ENDING = '.vectors'

/** Gives the name of the file of a store. */
export function nameJournal({ owner, name }: StoreName): string {
  return createHash('sha256').update(`${owner}\0${name}`).digest('hex').slice(0, 40) + JOURNAL_ENDING
}

/** Lists the files of a folder that are journals by their names. @throws {SvcError} `file_failed` */
export async function listJournals(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile() && entry.name.endsWith(JOURNAL_ENDING))
      .map(({ name }) => name)
      .sort()
  } catch (error) {
    if (readSystemCode(error) === 'ENOENT') return []
    throw toFileError(error, 'read', folder)
  }
}

/** Whether a file is a journal, as far as its head tells; undefined where there is no file. */
export async function isJournal(path: string): Promise<boolean | undefined> {
  const file = await open(path).catch((error: unknown) => {
    if (readSystemCode(error) !== 'ENOENT') throw error
  })
  if (file === undefined) return undefined
  try {
    const first = await (await openReader(file)).next()
    return first?.kind === 'name' && nameJournal(first.store) === basename(path)
  } finally {
    await file.close()
  }
}

/**
 * Removes all journals of a folder; other files stay. A file that cannot be removed does not keep the others.
 *
 * @throws {SvcError} `file_failed` for the first one that cannot be removed
 */
export async function removeJournals(folder: string, remove: typeof unlink = unlink): Promise<void> {
  const failures: unknown[] = []
  for (const name of await listJournals(folder)) {
    const path = join(folder, name)
    try {
      if ((await isJournal(path)) === true) await remove(path)
    } catch (error) {
      if (readSystemCode(error) !== 'ENOENT') failures.push(toFileError(error, 'removed', path))
    }
  }
  const [first] = failures
  if (first !== undefined) throw first
}
