import { copyFile, mkdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { SvcError } from '@svc/errors'
import { GgufError } from '@svc/gguf'
import { readGgufSummary } from '../catalog/gguf-summary.ts'
import { openModelFolder, withOpenFile } from '../catalog/model-folder.ts'
import { isGgufName } from '../catalog/to-model-config.ts'
import type { Credentials } from '../downloads/credentials.ts'
import { wrongContent } from '../downloads/download-failures.ts'
import { downloadFiles } from '../downloads/download-files.ts'
import type { DownloadSource } from '../downloads/download-source.ts'
import { hashFile } from '../downloads/hash-file.ts'
import type { ResolvedUri } from '../downloads/resolve-uri.ts'
import { toFileError } from '../files/file-error.ts'
import type { OperationWork } from '../operations/operations.ts'
import { keepsData } from '../operations/stopped-operation.ts'
import type { FileOwners } from './file-owners.ts'
import type { EntryFile } from './gallery.ts'
import { stagingFolder } from './model-commit.ts'
import { fetchModelImage, findRawWeights, type ModelImageParts } from './model-image.ts'
import { findOllamaWeights } from './ollama-weights.ts'

/** Parts that fetch the files of a model. */
export interface ModelFileParts extends ModelImageParts {
  readonly modelsPath: string
  readonly serverId: string
}

/** A file of a model with the place that its address leads to. */
export interface FileSource {
  readonly file: EntryFile
  readonly resolved: ResolvedUri
}

/** A file that waits in the staging folder. */
export interface StagedFile {
  readonly filename: string
  readonly sha256?: string | undefined
}

/** A file that was in its place already. */
export interface PlacedFile extends StagedFile {
  /** Changes with the file. */
  readonly signature: string
}

/** The fetched files of a model. */
export interface FetchedFiles {
  readonly inPlace: readonly PlacedFile[]
  /** Files that wait in the staging folder. */
  readonly staged: readonly StagedFile[]
  /** Files that came out of images, by the names of their entries. */
  readonly unpacked: ReadonlyMap<string, readonly string[]>
}

/** A model whose files are not fetched. */
export const NOTHING_FETCHED: FetchedFiles = { inPlace: [], staged: [], unpacked: new Map() }

/** A file with everything that a download needs. */
interface RemoteFile {
  readonly file: EntryFile
  readonly source: DownloadSource
  readonly sha256: string | undefined
  readonly sizeBytes: number | undefined
}

/** Fetches the files of a model that are not in place. */
export async function fetchModelFiles(
  name: string,
  sources: readonly FileSource[],
  work: OperationWork,
  parts: ModelFileParts & { readonly owners: Pick<FileOwners, 'comesFrom'> },
): Promise<FetchedFiles> {
  const { modelsPath, downloader, owners } = parts
  const { signal } = work
  const staging = stagingFolder(parts, name)
  const missing: FileSource[] = []
  const inPlace: PlacedFile[] = []
  for (const source of sources) {
    const found = await findInPlace(modelsPath, source.file, { owners, signal })
    if (found === undefined) missing.push(source)
    else inPlace.push(found)
  }
  const located = await Promise.all(missing.map((source) => locate(source, parts, signal)))
  const images = missing.filter(({ resolved }, index) => isImage(resolved) && located[index] === undefined)
  const remote = located.filter((one) => one !== undefined)
  const knownBytes = remote.reduce((sum, { sizeBytes = 0 }) => sum + sizeBytes, 0)
  work.report({ phase: 'Downloading', message: `downloading ${name}`, currentBytes: 0 })
  for (const { file, resolved } of missing) {
    if (resolved.kind === 'file') await takeLocal(resolved.path, join(staging, file.filename), { file, signal })
  }
  const fetched = await downloadFiles(downloader, {
    files: remote.map(({ file, source, sha256, sizeBytes }) => ({
      target: join(staging, file.filename),
      source,
      sha256,
      expectedBytes: sizeBytes,
      // A hash says more than the size that an origin announces.
      ...(sizeBytes === undefined || sha256 !== undefined ? {} : { sizeBytes }),
      check: (path) => checkContent(path, file.filename),
      keepsData: () => keepsData(signal),
    })),
    concurrency: parts.concurrency(),
    signal,
    onProgress: ({ currentBytes, totalBytes, receivedBytes, target }) =>
      work.report({
        phase: 'Downloading',
        message: `downloading ${basename(target)}`,
        fileName: basename(target),
        currentBytes,
        receivedBytes,
        totalBytes: Math.max(totalBytes, knownBytes),
      }),
  })
  const unpacked = new Map<string, readonly string[]>()
  for (const image of images) {
    unpacked.set(image.file.filename, await fetchModelImage(image, { staging, report: work.report, signal }, parts))
  }
  work.report({ phase: 'Verifying', message: 'verifying files' })
  const digests = new Map(remote.map(({ file }, index) => [file.filename, fetched[index]?.sha256]))
  return {
    inPlace,
    staged: missing.flatMap(({ file: { filename } }): readonly StagedFile[] => {
      const inside = unpacked.get(filename)
      return inside?.map((name) => ({ filename: name })) ?? [{ filename, sha256: digests.get(filename) }]
    }),
    unpacked,
  }
}

function isImage({ kind }: ResolvedUri): boolean {
  return kind === 'oci' || kind === 'oci-file'
}

/** Where a file comes from, with its size; undefined for one of this machine and for an image. */
async function locate(
  { file, resolved }: FileSource,
  { downloader, client, services }: ModelFileParts,
  signal: AbortSignal,
): Promise<RemoteFile | undefined> {
  if (resolved.kind === 'file' || resolved.kind === 'oci-file') return undefined
  if (resolved.kind === 'http') {
    const { source } = resolved
    return { file, source, sha256: file.sha256, sizeBytes: await downloader.measureSize(source, { signal }) }
  }
  const credentials: Credentials = services().credentials
  if (resolved.kind === 'oci') {
    const weights = await findRawWeights(resolved.reference, { client, credentials, signal })
    return weights && { file, ...weights, sha256: file.sha256 ?? weights.sha256 }
  }
  const weights = await findOllamaWeights(resolved.reference, { client, credentials, signal })
  return { file, source: weights.source, sha256: file.sha256 ?? weights.sha256, sizeBytes: weights.sizeBytes }
}

/** A file that is there with the right content; without a hash, one that comes from the same address or from nowhere. */
async function findInPlace(
  modelsPath: string,
  { filename, uri, sha256 }: EntryFile,
  { owners, signal }: { readonly owners: Pick<FileOwners, 'comesFrom'>; readonly signal: AbortSignal },
): Promise<PlacedFile | undefined> {
  const path = join(modelsPath, filename)
  const signature = await signFile(path)
  if (signature === undefined) return undefined
  if (sha256 === undefined) return owners.comesFrom(filename, uri) ? { filename, signature } : undefined
  const content = await hashFile(path, { signal }).catch(() => undefined)
  signal.throwIfAborted()
  return content?.sha256 === sha256 ? { filename, sha256, signature } : undefined
}

/** A text that changes with a regular file; undefined where there is none. */
export async function signFile(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined)
  return found?.isFile() === true ? [found.dev, found.ino, found.size, found.mtimeNs].join(':') : undefined
}

async function takeLocal(
  path: string,
  target: string,
  { file: { filename, sha256 }, signal }: { readonly file: EntryFile; readonly signal: AbortSignal },
): Promise<void> {
  try {
    await mkdir(dirname(target), { recursive: true })
    await copyFile(path, target)
  } catch (error) {
    throw toFileError(error, 'copied', filename)
  }
  const content = sha256 === undefined ? undefined : await hashFile(target, { signal })
  if (content?.sha256 !== sha256) throw wrongContent(filename, `its SHA-256 is not ${sha256}`)
  await checkContent(target, filename)
}

/** Weights whose header contradicts them never get to their place (threats WGT-1). */
export async function checkContent(path: string, filename: string): Promise<void> {
  if (!isGgufName(filename)) return
  const found = openModelFolder(dirname(path)).find(basename(path))
  if (found?.found !== true) return
  try {
    withOpenFile(found, readGgufSummary)
  } catch (error) {
    if (!(error instanceof GgufError)) throw error
    throw new SvcError('unprocessable', `${filename} ${error.message}`, { code: 'not_a_model' })
  }
}
