import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { SvcError } from '@svc/errors'
import type { KeyedLock } from '../../concurrency/keyed-lock.ts'
import { wrongContent } from '../../downloads/download-failures.ts'
import { downloadFiles, type SetProgress } from '../../downloads/download-files.ts'
import type { DownloadedFile, Downloader } from '../../downloads/downloader.ts'
import { hashHandle } from '../../downloads/hash-file.ts'
import type { KnownFiles } from '../../downloads/known-files.ts'
import { resolveUri, type UriServices } from '../../downloads/resolve-uri.ts'
import type { OperationWork } from '../../operations/operations.ts'
import type { Clock } from '../../ports.ts'
import type { HubFile } from '../hub-repository.ts'
import type { ResolvedArtifact } from './resolve-artifact.ts'
import { commitSnapshot, hasSnapshot, openPartialSnapshot, snapshotFolder, touch } from './snapshot-folder.ts'

/** Parts of {@link fetchArtifacts}. */
export interface ArtifactFetcherParts {
  readonly modelsPath: string
  readonly downloader: Downloader
  readonly known: KnownFiles
  readonly services: () => UriServices
  /** Whole files of a snapshot that are fetched at a time. */
  readonly concurrency: () => number
  readonly serverId: string
  readonly clock: Clock
  /** Held for a snapshot while it is gathered. */
  readonly snapshotLock: KeyedLock
}

/**
 * Fetches the snapshots that are not there. Fetched files stay after a cancel too: the next installation of the same
 * snapshot goes on with them (§3.3).
 *
 * @throws {SvcError} as {@link Downloader.download}; the signal's reason
 */
export async function fetchArtifacts(
  artifacts: readonly ResolvedArtifact[],
  work: Pick<OperationWork, 'signal' | 'report'>,
  parts: ArtifactFetcherParts,
): Promise<void> {
  const totalBytes = artifacts.reduce((sum, { files }) => sum + sumSizes(files), 0)
  let doneBytes = 0
  for (const artifact of artifacts) {
    const before = doneBytes
    const gather = (): Promise<void> =>
      fetchSnapshot(artifact, parts, work.signal, ({ currentBytes, receivedBytes, target }) => {
        const fileName = basename(target)
        work.report({
          phase: 'Downloading',
          message: `downloading ${fileName}`,
          fileName,
          currentBytes: before + currentBytes,
          totalBytes,
          receivedBytes,
        })
      })
    await parts.snapshotLock.run(artifact.cacheKey, gather, { signal: work.signal })
    doneBytes += sumSizes(artifact.files)
  }
  work.report({ phase: 'Verifying', message: 'verifying files', currentBytes: totalBytes, totalBytes })
}

/**
 * Sees that snapshots are still there. Called under the lock of the models folder: an unused one may have been deleted
 * since it was found.
 *
 * @throws {SvcError} `conflict`, code `file_changed`
 */
export async function checkSnapshots(artifacts: readonly ResolvedArtifact[], modelsPath: string): Promise<void> {
  for (const { repository, cacheKey } of artifacts) {
    if (await hasSnapshot(modelsPath, cacheKey)) continue
    throw new SvcError(
      'conflict',
      `the snapshot of ${repository} was deleted while the model was installed: install it again`,
      {
        code: 'file_changed',
      },
    )
  }
}

function sumSizes(files: readonly HubFile[]): number {
  return files.reduce((sum, { sizeBytes = 0 }) => sum + sizeBytes, 0)
}

async function fetchSnapshot(
  artifact: ResolvedArtifact,
  parts: ArtifactFetcherParts,
  signal: AbortSignal,
  onProgress: (progress: SetProgress) => void,
): Promise<void> {
  const { modelsPath, downloader, clock, serverId } = parts
  const { cacheKey, files, repository, commit } = artifact
  if (await hasSnapshot(modelsPath, cacheKey)) return
  const partial = await openPartialSnapshot(modelsPath, cacheKey, { serverId, now: clock.now() })
  const services = parts.services()
  const fetched = await downloadFiles(downloader, {
    files: files.map((file) => {
      const resolved = resolveUri(`hf://${repository}/${file.path}@${commit}`, 'public', services)
      if (resolved.kind !== 'http') throw new Error('addresses of the hub are fetched over HTTP')
      return {
        target: join(partial, 'snapshot', file.path),
        source: resolved.source,
        sha256: file.sha256,
        sizeBytes: file.sizeBytes,
        check: (path) => checkGitHash(path, file, signal),
      }
    }),
    concurrency: parts.concurrency(),
    signal,
    onProgress,
  })
  await touch(partial, clock.now())
  signal.throwIfAborted()
  await commitSnapshot(modelsPath, cacheKey, { partial, files })
  await noteContents(artifact, { partial, fetched }, parts)
}

/**
 * Checks the hash of a git blob, the only one that small files of a repository have.
 *
 * @throws {SvcError} `download_corrupt`
 */
async function checkGitHash(
  path: string,
  { sha256, gitHash, path: name }: HubFile,
  signal: AbortSignal,
): Promise<void> {
  if (sha256 !== undefined || gitHash === undefined) return
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const hash = createHash('sha1').update(`blob ${size}\0`)
    await hashHandle(file, hash, { signal })
    if (hash.digest('hex') !== gitHash) throw wrongContent(name, `its git hash is not ${gitHash}`)
  } finally {
    await file.close()
  }
}

/** Notes where the contents are now, so that another model can share them. */
async function noteContents(
  { cacheKey, files }: ResolvedArtifact,
  { partial, fetched }: { readonly partial: string; readonly fetched: readonly DownloadedFile[] },
  { modelsPath, known }: ArtifactFetcherParts,
): Promise<void> {
  await known.remove(files.map(({ path }) => join(partial, 'snapshot', path)))
  for (const [index, { path }] of files.entries()) {
    const sha256 = fetched[index]?.sha256
    const place = join(snapshotFolder(modelsPath, cacheKey), 'snapshot', path)
    if (sha256 !== undefined) await known.add({ path: place, sha256 })
  }
}
