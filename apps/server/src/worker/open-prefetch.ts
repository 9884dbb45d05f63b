import { join } from 'node:path'
import type { ServerConfig } from '../config/schema.ts'
import { readCredentials } from '../downloads/credentials.ts'
import { createDownloader } from '../downloads/downloader.ts'
import type { Gallery } from '../galleries/gallery.ts'
import { createGalleryIndexes } from '../galleries/gallery-indexes.ts'
import { toModelEntry } from '../galleries/to-entry.ts'
import { createOwnPlaces } from '../key-files/own-places.ts'
import type { OutboundClient } from '../outbound/client.ts'
import { toUriServices } from '../platform/open-galleries.ts'
import type { Clock, Logger } from '../ports.ts'
import { prefetchModels } from './prefetch.ts'

/**
 * Fetches the models of `--prefetch-models` from the galleries of `--galleries`. A worker without the option, and one with
 * the models folder of its front ends, fetches nothing.
 *
 * @throws the signal's reason
 */
export async function runPrefetch(
  {
    config,
    client,
    clock,
    logger,
  }: {
    readonly config: ServerConfig
    readonly client: OutboundClient
    readonly clock: Clock
    readonly logger: Logger
  },
  signal: AbortSignal,
): Promise<void> {
  const { prefetchModels: names, galleries } = config
  if (names.length === 0) return
  const reason = config.distributedSharedModels ? 'the models folder is shared' : 'there is no gallery: set --galleries'
  if (config.distributedSharedModels || galleries.length === 0) {
    logger.warn({ models: names, reason }, 'no model is fetched in advance')
    return
  }
  const services = toUriServices(config, await readCredentials(config.credentialsFile))
  const places = { client, services: () => services, places: createOwnPlaces(config) }
  const indexes = createGalleryIndexes({
    ...places,
    folder: join(config.dataPath, 'galleries'),
    galleries: () => galleries as readonly Gallery[],
    toEntry: toModelEntry,
    clock,
    logger,
  })
  try {
    const downloader = createDownloader({ client, clock, logger, parts: config.downloadParts })
    const { modelsPath, maxReplicasPerModel: replicas, artifactDownloadConcurrency: concurrency } = config
    await prefetchModels(
      names,
      { ...places, modelsPath, replicas, indexes, downloader, concurrency, clock, logger },
      signal,
    )
  } finally {
    await indexes.close()
  }
}
