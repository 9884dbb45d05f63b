import { readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { SvcError } from '@svc/errors'
import { toFileError } from '../files/file-error.ts'
import { readRecord } from './read-record.ts'
import { openStateFolder, type SlotModel } from './slot-folder.ts'

/**
 * Removes the saved states of a model that is deleted, and its folder for them when nothing else lies in it. A folder
 * without a record of the model stays.
 *
 * @returns the number of removed states
 * @throws {SvcError} `internal` (`file_failed`)
 */
export async function removeStates(model: SlotModel): Promise<number> {
  const folder = await openStateFolder(model, () => false).catch((error: unknown) => {
    // No folder, or one in which nothing was saved.
    if (!SvcError.is(error) || error.kind !== 'invalid_request') throw error
  })
  if (folder === undefined) return 0
  let count = 0
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    const record = await readRecord(folder, name).catch((error: unknown) => {
      if (!SvcError.is(error)) throw error
    })
    if (record?.id !== name || record.model !== model.name) continue
    const path = join(folder, name)
    await rm(path, { recursive: true, force: true }).catch((error: unknown) => {
      throw toFileError(error, 'removed', path)
    })
    count += 1
  }
  await rmdir(folder).catch(() => undefined)
  return count
}
