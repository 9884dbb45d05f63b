import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Credentials } from '../downloads/credentials.ts'
import { downloadFiles, type SetProgress } from '../downloads/download-files.ts'
import type { Downloader } from '../downloads/downloader.ts'
import { makeFileFolder } from '../files/make-folder.ts'
import type { OutboundClient } from '../outbound/client.ts'
import { createLayerTarget } from './apply-layer.ts'
import { readDecompressed } from './decompress.ts'
import { parseImageReference } from './image-reference.ts'
import type { ImageSignature } from './image-signature.ts'
import { createRegistryClient } from './registry-client.ts'

/** One pull of an image. */
export interface PullOptions {
  /** `registry/repository:tag@digest` */
  readonly reference: string
  /** Folder of the layers as they come; layers from an earlier pull are continued. */
  readonly layersFolder: string
  /** Folder of the unpacked image; emptied first. */
  readonly root: string
  readonly client: OutboundClient
  readonly downloader: Downloader
  readonly credentials: Credentials
  readonly concurrency: number
  readonly keepsData: () => boolean
  readonly onProgress: (progress: Omit<SetProgress, 'target'>) => void
  /** Called with the digest that the tag has, before anything is fetched. @throws to refuse the image */
  readonly check?:
    | ((digest: string, readSignatures: () => Promise<readonly ImageSignature[]>) => Promise<void>)
    | undefined
  /** Called once everything is fetched and checked. */
  readonly onUnpack: () => void
  readonly signal: AbortSignal
}

/** A pulled image. */
export interface PulledImage {
  /** The digest that the tag had. */
  readonly digest: string
}

/**
 * Fetches the layers of an image and unpacks them upon each other.
 *
 * @throws {SvcError} `image_failed`, `archive_refused`; as {@link Downloader.download}; the signal's reason
 */
export async function pullImage(options: PullOptions): Promise<PulledImage> {
  const { client, downloader, credentials, layersFolder, root, signal, keepsData } = options
  const reference = parseImageReference(options.reference)
  const registry = createRegistryClient({ client, credentials })
  const manifest = await registry.readManifest(reference, { signal })
  await options.check?.(manifest.digest, () => registry.readSignatures(reference, manifest.digest, { signal }))
  const layers = [...new Map(manifest.layers.map((layer) => [layer.digest, layer])).values()]
  const toLayerPath = (digest: string): string => join(layersFolder, `${digest.slice('sha256:'.length)}.layer`)
  await downloadFiles(downloader, {
    files: layers.map((layer) => ({
      target: toLayerPath(layer.digest),
      source: registry.layerSource(reference, layer),
      sha256: layer.digest.slice('sha256:'.length),
      sizeBytes: layer.sizeBytes,
      keepsData,
    })),
    concurrency: options.concurrency,
    onProgress: options.onProgress,
    signal,
  })
  options.onUnpack()
  await rm(root, { recursive: true, force: true })
  await makeFileFolder(root, 0o755)
  const target = createLayerTarget(root)
  for (const { digest, sizeBytes } of manifest.layers) {
    await target.apply(readDecompressed(toLayerPath(digest), { signal }), { compressedBytes: sizeBytes, signal })
  }
  return { digest: manifest.digest }
}
