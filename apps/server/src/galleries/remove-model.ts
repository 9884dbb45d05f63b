import { rename, rmdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { SvcError } from '@svc/errors'
import { listModelFiles, refuseShared } from '../catalog/delete-model.ts'
import type { ConfigStore } from '../catalog/folder-store.ts'
import type { KeyFileGate } from '../catalog/key-file-gate.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import { readSystemCode, toFileError } from '../files/file-error.ts'
import { isSafeName } from '../files/safe-path.ts'
import { createTemporaryPath } from '../files/temporary-files.ts'
import { removeStates } from '../slots/remove-states.ts'
import { listSnapshots, removeUnusedSnapshots } from './artifacts/used-snapshots.ts'
import { listRecorded, listUsedFiles } from './file-owners.ts'
import { readRecord, readRecords, recordFileName } from './install-record.ts'
import { listParents } from './relocate-files.ts'

/** Parts of {@link removeModel}. */
export interface RemoveParts {
  readonly modelsPath: string
  readonly modelFiles: ConfigStore
  readonly keyFileGate: Pick<KeyFileGate, 'forget'>
}

/**
 * Deletes a model with its record, its saved slots and the files that no other model needs. Its model file leaves first and comes back
 * where another file cannot be deleted.
 *
 * @returns the names of the files that were deleted
 * @throws {SvcError} `not_found`, `conflict` (`model_shared`), `internal` (`file_failed`)
 */
export async function removeModel(
  { modelsPath, modelFiles, keyFileGate }: RemoveParts,
  name: string,
): Promise<readonly string[]> {
  const model = modelFiles.get(name)
  const record = await readRecord(modelsPath, name)
  if (model === undefined && record === undefined) {
    throw new SvcError('not_found', `there is no model "${name}"`, { code: 'model_not_found' })
  }
  const others = modelFiles.list({ includeReferenced: true }).filter((other) => other.name !== name)
  if (model !== undefined) refuseShared(model, others)
  const kept = await listFilesOfOthers(modelsPath, name, others)
  const own = [
    ...(model === undefined ? [] : listModelFiles(model)),
    ...(record === undefined ? [] : listRecorded(record)),
  ]
  const files = [...new Set(own)].filter((file) => isSafeName(file) && !kept.has(file))
  const hidden = model?.source === 'yaml' ? await hide(join(modelsPath, model.file)) : undefined
  try {
    for (const file of files) await remove(join(modelsPath, file))
    await remove(join(modelsPath, recordFileName(name)))
    if (model !== undefined) await removeStates(model)
    if (model?.source === 'yaml') await keyFileGate.forget(model.file)
    await removeEmptyFolders(modelsPath, files)
  } catch (error) {
    await hidden?.restore()
    throw error
  }
  await hidden?.remove()
  await modelFiles.reload()
  await removeUnusedSnapshots(listSnapshots(model), { modelsPath, modelFiles })
  return [...(model?.source === 'yaml' ? [model.file] : []), ...files]
}

/** Files that other models or their records name. */
async function listFilesOfOthers(
  modelsPath: string,
  name: string,
  others: readonly ModelConfig[],
): Promise<ReadonlySet<string>> {
  const records = (await readRecords(modelsPath)).filter((record) => record.name !== name)
  return new Set([
    ...others
      .filter(({ source }) => source === 'yaml' || source === 'list')
      .flatMap((other) => [other.file, ...listModelFiles(other), ...listUsedFiles(other)]),
    ...records.flatMap(listRecorded),
  ])
}

interface HiddenFile {
  restore(): Promise<void>
  remove(): Promise<void>
}

/** Takes a file out of sight, under a name that a start sweeps. */
async function hide(path: string): Promise<HiddenFile> {
  const temporary = createTemporaryPath(path)
  await rename(path, temporary).catch((error: unknown) => {
    throw toFileError(error, 'deleted', path)
  })
  return { restore: () => rename(temporary, path), remove: () => unlink(temporary) }
}

/** Folders of deleted files go too, where nothing else lies in them. */
export async function removeEmptyFolders(modelsPath: string, files: readonly string[]): Promise<void> {
  const folders = new Set(files.flatMap((file) => listParents(file)))
  const deepestFirst = [...folders].sort((one, other) => other.length - one.length)
  for (const folder of deepestFirst) await rmdir(join(modelsPath, folder)).catch(() => undefined)
}

async function remove(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (readSystemCode(error) !== 'ENOENT') throw toFileError(error, 'deleted', path)
  })
}
