import { rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { SvcError } from '@svc/errors'
import { listModelFiles, refuseShared } from '../catalog/delete-model.ts'
import type { ConfigStore } from '../catalog/folder-store.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import { readSystemCode, toFileError } from '../files/file-error.ts'
import { isSafeName } from '../files/safe-path.ts'
import { createTemporaryPath } from '../files/temporary-files.ts'
import { listSnapshots, removeUnusedSnapshots } from './artifacts/used-snapshots.ts'
import { type InstallRecord, readRecord, readRecords, recordFileName } from './install-record.ts'

/**
 * Deletes a model with its record and the files that no other model needs. Its model file leaves first and comes back
 * where another file cannot be deleted.
 *
 * @returns the names of the files that were deleted
 * @throws {SvcError} `not_found`, `conflict` (`model_shared`), `internal` (`file_failed`)
 */
export async function removeModel(
  { modelsPath, modelFiles }: { readonly modelsPath: string; readonly modelFiles: ConfigStore },
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
    ...(record?.files ?? []).map(({ filename }) => filename),
  ]
  const files = [...new Set(own)].filter((file) => isSafeName(file) && !kept.has(file))
  const hidden = model?.source === 'yaml' ? await hide(join(modelsPath, model.file)) : undefined
  try {
    for (const file of files) await remove(join(modelsPath, file))
    await remove(join(modelsPath, recordFileName(name)))
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
  const records = (await readRecords(modelsPath)).filter((record: InstallRecord) => record.name !== name)
  return new Set([
    ...others
      .filter(({ source }) => source === 'yaml' || source === 'list')
      .flatMap((other) => [other.file, ...listModelFiles(other)]),
    ...records.flatMap(({ files }) => files.map(({ filename }) => filename)),
  ])
}

interface HiddenFile {
  restore(): Promise<void>
  remove(): Promise<void>
}

/** Takes a file out of sight. The name that it has meanwhile is one that a start sweeps. */
async function hide(path: string): Promise<HiddenFile> {
  const temporary = createTemporaryPath(path)
  await rename(path, temporary).catch((error: unknown) => {
    throw toFileError(error, 'deleted', path)
  })
  return { restore: () => rename(temporary, path), remove: () => unlink(temporary) }
}

async function remove(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (readSystemCode(error) !== 'ENOENT') throw toFileError(error, 'deleted', path)
  })
}
