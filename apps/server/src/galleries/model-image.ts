import { readdir, rm } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { SvcError } from '@svc/errors'
import type { Credentials } from '../downloads/credentials.ts'
import type { DownloadSource } from '../downloads/download-source.ts'
import type { Downloader } from '../downloads/downloader.ts'
import type { ResolvedUri, UriServices } from '../downloads/resolve-uri.ts'
import { makeFileFolder } from '../files/make-folder.ts'
import { isSafeName } from '../files/safe-path.ts'
import { parseImageReference } from '../oci/image-reference.ts'
import { pullImage } from '../oci/pull-image.ts'
import { createRegistryClient, findRawLayer } from '../oci/registry-client.ts'
import { unpackImageArchive } from '../oci/unpack-image-archive.ts'
import type { OperationWork } from '../operations/operations.ts'
import { keepsData } from '../operations/stopped-operation.ts'
import type { OutboundClient } from '../outbound/client.ts'
import type { EntryFile } from './gallery.ts'

/** Parts that fetch images of models. */
export interface ModelImageParts {
  readonly client: OutboundClient
  readonly downloader: Downloader
  readonly services: () => UriServices
  readonly concurrency: () => number
}

/** Weights that are a layer of their own. */
export interface RawWeights {
  readonly source: DownloadSource
  readonly sha256: string
  readonly sizeBytes: number
  readonly mediaType: string
}

const MAX_FILES = 10_000

/**
 * The weights of an image whose layers are files and not archives: the largest layer. Undefined for an image of archives.
 *
 * @throws {SvcError} `invalid_image`, `image_failed`
 */
export async function findRawWeights(
  reference: string,
  {
    client,
    credentials,
    signal,
  }: { readonly client: OutboundClient; readonly credentials: Credentials; readonly signal: AbortSignal },
): Promise<RawWeights | undefined> {
  const image = parseImageReference(reference)
  const registry = createRegistryClient({ client, credentials })
  const { layers } = await registry.readManifest(image, { signal })
  const largest = findRawLayer(layers)
  if (largest === undefined) return undefined
  const sha256 = largest.digest.slice('sha256:'.length)
  const { sizeBytes, mediaType } = largest
  return { source: registry.layerSource(image, largest), sha256, sizeBytes, mediaType }
}

/**
 * Unpacks an image into a folder of the name that its file has.
 *
 * @returns the files in it, named as they will lie in the models folder
 * @throws {SvcError} as {@link pullImage} and {@link unpackImageArchive}
 */
export async function fetchModelImage(
  { file, resolved }: { readonly file: EntryFile; readonly resolved: ResolvedUri },
  { staging, report, signal }: Pick<OperationWork, 'report' | 'signal'> & { readonly staging: string },
  { client, downloader, services, concurrency }: ModelImageParts,
): Promise<readonly string[]> {
  const { filename } = file
  const root = join(staging, filename)
  const layersFolder = `${root}.layers`
  await makeFileFolder(staging)
  if (resolved.kind === 'oci-file') await unpackImageArchive({ path: resolved.path, layersFolder, root, signal })
  else if (resolved.kind === 'oci') {
    await pullImage({
      reference: resolved.reference,
      layersFolder,
      root,
      client,
      downloader,
      signal,
      credentials: services().credentials,
      concurrency: concurrency(),
      keepsData: () => keepsData(signal),
      onProgress: ({ currentBytes, totalBytes, receivedBytes }) =>
        report({
          phase: 'Downloading',
          message: `downloading ${filename}`,
          fileName: filename,
          currentBytes,
          receivedBytes,
          totalBytes,
        }),
      onUnpack: () => report({ phase: 'Verifying', message: `unpacking ${filename}` }),
    })
    await rm(layersFolder, { recursive: true, force: true })
  }
  return listFiles(root, filename)
}

/** Lists regular files only: links have no meaning outside their image. */
async function listFiles(root: string, filename: string): Promise<readonly string[]> {
  const found = await readdir(root, { recursive: true, withFileTypes: true })
  const files = found
    .filter((entry) => entry.isFile())
    .map((entry) => [filename, ...relative(root, join(entry.parentPath, entry.name)).split(sep)].join('/'))
  const bad = files.find((name) => !isSafeName(name) || /\.partial(\.json)?$/.test(name))
  if (files.length > MAX_FILES || bad !== undefined) {
    throw new SvcError('unprocessable', `the image of ${filename} holds a file with a name that cannot be used`, {
      code: 'archive_refused',
    })
  }
  if (files.length === 0) {
    throw new SvcError('unprocessable', `the image of ${filename} holds no files`, { code: 'archive_refused' })
  }
  return files.sort()
}
