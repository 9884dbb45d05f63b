import { lstat, realpath, rm, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { SvcError } from '@svc/errors'
import type { ConfigStore } from '../../catalog/folder-store.ts'
import type { KnownFiles } from '../../downloads/known-files.ts'
import { readSystemCode, toFileError } from '../../files/file-error.ts'
import { isPending } from '../../operations/operation.ts'
import { MANIFEST } from '../artifacts/snapshot-folder.ts'
import { removeEmptyFolders } from '../remove-model.ts'
import { findUnused, type UnusedFile, type UnusedFiles, type UnusedParts } from './find-unused.ts'
import { signStats } from './walk-folder.ts'

/** The deleted files, and the files that could not be deleted. */
export interface PrunedFiles extends Pick<UnusedFiles, 'installing'> {
  /** Why selected files are left; undefined where all had their turn. */
  readonly stopped: 'installation' | 'aborted' | undefined
  readonly removed: readonly UnusedFile[]
  readonly failed: readonly { readonly path: string; readonly reason: string }[]
}

/** Parts that delete unused files. */
export interface PruneParts extends UnusedParts {
  readonly modelFiles: ConfigStore
  readonly known: KnownFiles
  /** Called with models that were files of their own. */
  readonly changed: (names: readonly string[]) => void
}

/**
 * Deletes unused files: the named ones, or all that go without being named. Called under the lock of the models folder.
 *
 * @throws {SvcError} `not_found` (`file_not_unused`) before anything is deleted; as {@link findUnused}; `file_failed` where
 *   nothing could be deleted
 */
export async function pruneFiles(
  names: readonly string[] | undefined,
  parts: PruneParts,
  { signal }: { readonly signal: AbortSignal },
): Promise<PrunedFiles> {
  const { modelsPath, modelFiles, known, operations } = parts
  const before = listPending(operations)
  const { files, installing } = await findUnused(parts, { signal })
  const chosen = chooseFiles(files, names)
  const root = await realpath(modelsPath).catch(() => modelsPath)
  const removed: UnusedFile[] = []
  const failed: { path: string; reason: string }[] = []
  let fault: unknown
  let stopped: PrunedFiles['stopped']
  for (const file of chosen) {
    // An installation that was asked for meanwhile may need any of them.
    if ([...listPending(operations)].some((jobId) => !before.has(jobId))) stopped = 'installation'
    // The records still have to follow the deleted files.
    else if (signal.aborted) stopped = 'aborted'
    if (stopped !== undefined) break
    try {
      await removeUnused(root, file)
      removed.push(file)
    } catch (error) {
      fault = error
      failed.push({ path: file.path, reason: error instanceof Error ? error.message : String(error) })
    }
  }
  if (removed.length === 0 && fault !== undefined) throw fault
  await known.remove(removed.flatMap((each) => each.files.map(({ path }) => join(modelsPath, path))))
  await removeEmptyFolders(
    root,
    removed.flatMap(({ path, isFolder }) => (isFolder ? [] : [path])),
  )
  await modelFiles.reload()
  parts.changed(removed.map(({ path }) => path))
  return { removed, failed, stopped, installing }
}

function chooseFiles(files: readonly UnusedFile[], names: readonly string[] | undefined): readonly UnusedFile[] {
  if (names === undefined) return files.filter(({ isSelected }) => isSelected)
  return [...new Set(names)].map((name) => {
    const file = files.find(({ path }) => path === name)
    if (file !== undefined) return file
    throw new SvcError('not_found', `${name} is not an unused file`, { code: 'file_not_unused' })
  })
}

function listPending(operations: PruneParts['operations']): ReadonlySet<string> {
  return new Set(
    operations
      .list()
      .filter(isPending)
      .map(({ jobId }) => jobId),
  )
}

/** Deletes one entry, unless it is another one by now. */
async function removeUnused(root: string, { path, files, isFolder }: UnusedFile): Promise<void> {
  const place = join(root, path)
  if ((await realpath(dirname(place)).catch(() => undefined)) !== dirname(place)) throw changed(path)
  try {
    if (isFolder) {
      if (!(await lstat(place)).isDirectory()) throw changed(path)
      // An installation that looks for the snapshot now finds none instead of a part of it.
      await unlink(join(place, MANIFEST)).catch(() => undefined)
      await rm(place, { recursive: true })
      return
    }
    for (const file of files) {
      if (signStats(await lstat(join(root, file.path))) !== file.signature) throw changed(path)
      await unlink(join(root, file.path))
    }
  } catch (error) {
    if (SvcError.is(error)) throw error
    if (readSystemCode(error) !== 'ENOENT') throw toFileError(error, 'deleted', place)
  }
}

function changed(path: string): SvcError {
  return new SvcError('conflict', `${path} has changed meanwhile`, { code: 'file_changed' })
}
