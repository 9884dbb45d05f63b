import { cp, lstat, readdir, rename, rm } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SvcError } from '@svc/errors'
import type { Credentials } from '../downloads/credentials.ts'
import { downloadFiles, type SetProgress } from '../downloads/download-files.ts'
import type { Downloader } from '../downloads/downloader.ts'
import { hashFile } from '../downloads/hash-file.ts'
import { toFileError } from '../files/file-error.ts'
import { makeFileFolder } from '../files/make-folder.ts'
import { createLayerTarget } from '../oci/apply-layer.ts'
import { readDecompressed } from '../oci/decompress.ts'
import { isImageReference } from '../oci/image-reference.ts'
import { type PullOptions, pullImage } from '../oci/pull-image.ts'
import { unpackImageArchive } from '../oci/unpack-image-archive.ts'
import type { OperationWork } from '../operations/operations.ts'
import { keepsData } from '../operations/stopped-operation.ts'
import type { OutboundClient } from '../outbound/client.ts'

/** Parts that fetch the files of a backend. */
export interface BackendFetcherParts {
  readonly client: OutboundClient
  readonly downloader: Downloader
  readonly credentials: Credentials
  /** Whole layers that are fetched at a time. */
  readonly concurrency: () => number
}

/** One place that a backend can come from. */
export interface BackendFetch {
  readonly name: string
  readonly uri: string
  /** Hash of an archive, in lower-case hexadecimal digits; empty where it is unknown. */
  readonly sha256: string
  /** Whether an archive needs its hash, because its content is not signed. */
  readonly needsHash: boolean
  /** Whether somebody asked for this address, and no gallery names it: then it may be on this machine. */
  readonly isExternal: boolean
  /** Makes a check of the digest of an image before anything of it is fetched. @throws to refuse every image */
  readonly createCheck: () => PullOptions['check']
  /** Folder of fetched files; they stay for the next attempt. */
  readonly staging: string
  /** Folder of the files of the backend; emptied first. */
  readonly root: string
}

/**
 * Fetches a backend: an image of a registry, a tar archive over HTTPS, or, for an administrator, a folder, a tar archive
 * or an image archive of this machine.
 *
 * @returns the digest of the fetched content; empty for a folder
 * @throws {SvcError} as {@link pullImage} and {@link Downloader.download}; `invalid_request` (`invalid_uri`), `forbidden`
 *   (`integrity_required`)
 */
export async function fetchBackend(
  fetch: BackendFetch,
  work: Pick<OperationWork, 'signal' | 'report'>,
  parts: BackendFetcherParts,
): Promise<string> {
  const { uri, root, name } = fetch
  const { signal } = work
  const reference = uri.startsWith('oci://') ? uri.slice('oci://'.length) : uri
  if (isImageReference(reference) && !/^[a-z]+:\/\//.test(reference)) return pull(fetch, reference, work, parts)
  if (/^https?:\/\//.test(uri)) return fetchArchive(fetch, work, parts)
  const path = toLocalPath(uri)
  if (path === undefined || !fetch.isExternal) throw invalidUri(uri)
  requireHash(fetch)
  work.report({ phase: 'Verifying', message: `copying ${name}` })
  const found = await lstat(path).catch(() => undefined)
  if (found?.isDirectory() === true) return copyFolder(path, root)
  if (found?.isFile() !== true) throw invalidUri(uri)
  const { sha256 } = await hashFile(path, { signal })
  if (uri.startsWith('ocifile://')) {
    await unpackImageArchive({ path, layersFolder: join(fetch.staging, 'layers'), root, signal })
  } else await unpackArchive(path, root, signal)
  return `sha256:${sha256}`
}

async function pull(
  { name, createCheck, staging, root }: BackendFetch,
  reference: string,
  work: Pick<OperationWork, 'signal' | 'report'>,
  { client, downloader, credentials, concurrency }: BackendFetcherParts,
): Promise<string> {
  const { signal } = work
  const { digest } = await pullImage({
    reference,
    layersFolder: join(staging, 'layers'),
    root,
    signal,
    client,
    downloader,
    credentials,
    check: createCheck(),
    concurrency: concurrency(),
    keepsData: () => keepsData(signal),
    onProgress: reportDownload(work, name),
    onUnpack: () => work.report({ phase: 'Verifying', message: `unpacking ${name}` }),
  })
  return digest
}

function reportDownload(work: Pick<OperationWork, 'report'>, name: string) {
  return ({ currentBytes, totalBytes, receivedBytes }: Omit<SetProgress, 'target'>): void =>
    work.report({ phase: 'Downloading', message: `downloading ${name}`, currentBytes, totalBytes, receivedBytes })
}

/** An archive is accepted by its hash: nothing signs it. @throws {SvcError} `integrity_required` */
function requireHash({ name, needsHash, sha256 }: BackendFetch): void {
  if (!needsHash || sha256 !== '') return
  throw new SvcError('forbidden', `"${name}" is refused: its source names neither a signer nor a SHA-256`, {
    code: 'integrity_required',
  })
}

async function fetchArchive(
  fetch: BackendFetch,
  work: Pick<OperationWork, 'signal' | 'report'>,
  { downloader, credentials }: BackendFetcherParts,
): Promise<string> {
  requireHash(fetch)
  const { name, uri, sha256, staging, root } = fetch
  const { signal } = work
  const target = join(staging, 'archive')
  // Without a hash nothing shows that an archive of an earlier attempt is the one at the address now.
  if (sha256 === '') await rm(target, { force: true })
  const source = { url: uri, trust: 'public', credentials: credentials.find(uri) } as const
  const [content] = await downloadFiles(downloader, {
    files: [{ target, source, ...(sha256 === '' ? {} : { sha256 }), keepsData: () => keepsData(signal) }],
    concurrency: 1,
    signal,
    onProgress: reportDownload(work, name),
  })
  work.report({ phase: 'Verifying', message: `unpacking ${name}` })
  await unpackArchive(target, root, signal)
  return `sha256:${content?.sha256}`
}

/** Unpacks a tar archive. One whose files all lie in one folder gives that folder. */
async function unpackArchive(path: string, root: string, signal: AbortSignal): Promise<void> {
  const { size } = await lstat(path)
  const whole = `${root}.whole`
  for (const folder of [root, whole]) await rm(folder, { recursive: true, force: true })
  await makeFileFolder(whole, 0o755)
  try {
    const target = createLayerTarget(whole)
    await target.apply(readDecompressed(path, { signal }), { compressedBytes: size, signal })
    const [only = '', ...others] = await readdir(whole)
    const isFolder = only !== '' && others.length === 0 && (await lstat(join(whole, only))).isDirectory()
    if (isFolder) await target.checkFolder(only, { signal })
    await rename(isFolder ? join(whole, only) : whole, root)
  } finally {
    await rm(whole, { recursive: true, force: true })
  }
}

async function copyFolder(path: string, root: string): Promise<string> {
  await rm(root, { recursive: true, force: true })
  await cp(path, root, { recursive: true, verbatimSymlinks: true }).catch((error: unknown) => {
    throw toFileError(error, 'copied', path)
  })
  return ''
}

function toLocalPath(uri: string): string | undefined {
  const path = uri.replace(/^(?:file|ocifile):\/\//, '')
  if (!isAbsolute(path)) return undefined
  try {
    return uri.startsWith('file://') ? fileURLToPath(uri) : path
  } catch {
    return undefined
  }
}

function invalidUri(uri: string): SvcError {
  return new SvcError('invalid_request', `a backend cannot come from ${JSON.stringify(uri.slice(0, 200))}`, {
    code: 'invalid_uri',
  })
}
