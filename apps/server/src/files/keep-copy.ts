import { constants, copyFile } from 'node:fs/promises'
import { readSystemCode, toFileError } from './file-error.ts'

/**
 * Copies a file to `<name>.<word>-<time>` before it is overwritten, so that a text of an operator is never lost.
 *
 * @param options.word the reason: `corrupt`, `replaced`
 * @returns the path of the copy; undefined when the file has gone meanwhile
 * @throws {SvcError} `disk_full` or `file_failed`
 */
export async function keepCopy(
  path: string,
  { word, now }: { readonly word: string; readonly now: number },
): Promise<string | undefined> {
  const copy = `${path}.${word}-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}`
  try {
    await copyFile(path, copy, constants.COPYFILE_EXCL)
    return copy
  } catch (error) {
    if (readSystemCode(error) === 'ENOENT') return undefined
    throw toFileError(error, 'kept under another name', path)
  }
}
