import { join } from 'node:path'
import type { ConfigStore } from '../catalog/config-store.ts'
import type { BackendRoom } from '../compose-backends.ts'
import type { ServerConfig } from '../config/schema.ts'
import type { Database } from '../db/database.ts'
import { readCredentials } from '../downloads/credentials.ts'
import { createDownloader } from '../downloads/downloader.ts'
import { createKnownFiles } from '../downloads/known-files.ts'
import { PUBLIC_CODE_HOST, PUBLIC_HUB, type UriServices } from '../downloads/resolve-uri.ts'
import { createShapeReader } from '../galleries/estimator.ts'
import { createGalleryIndexes } from '../galleries/gallery-indexes.ts'
import { finishCommits } from '../galleries/model-commit.ts'
import { createModelGallery, type ModelGallery } from '../galleries/model-gallery.ts'
import { toModelEntry } from '../galleries/to-entry.ts'
import type { Operations } from '../operations/operations.ts'
import { createOutboundClient } from '../outbound/client.ts'
import { toAllowList } from '../outbound/target.ts'
import type { Clock, Logger } from '../ports.ts'
import type { Settings } from '../settings/settings.ts'

/** What {@link openGalleries} needs. */
export interface GalleryParts {
  readonly config: ServerConfig
  readonly settings: Settings
  readonly database: Database
  readonly backends: BackendRoom
  readonly modelFiles: ConfigStore
  readonly operations: Operations
  readonly userAgent: string
  /** Further authorities, PEM. */
  readonly ca: string | undefined
  readonly clock: Clock
  readonly log: Logger
}

/** Opens the galleries. Installations that a kill has interrupted while they replaced files are finished first. */
export async function openGalleries(parts: GalleryParts): Promise<ModelGallery> {
  const { config, settings, database, backends, modelFiles, operations, clock, log } = parts
  await finishCommits(config.modelsPath, { logger: log, now: clock.now() })
  await modelFiles.reload()
  const credentials = await readCredentials(config.credentialsFile)
  const client = createOutboundClient({
    allow: toAllowList(config.contentUrlAllow),
    ...{ clock, log, userAgent: parts.userAgent, ca: parts.ca },
  })
  const known = createKnownFiles({ database, clock })
  const downloader = createDownloader({ client, clock, logger: log, known })
  const services: UriServices = {
    hubUrl: withoutSlash(config.hubUrl ?? PUBLIC_HUB),
    hubToken: config.hubToken,
    hubTrust: config.hubUrl === undefined ? 'public' : 'operator',
    codeHostUrl: withoutSlash(config.codeHostRawUrl ?? PUBLIC_CODE_HOST),
    codeHostTrust: config.codeHostRawUrl === undefined ? 'public' : 'operator',
    credentials,
    modelsPath: config.modelsPath,
  }
  const indexes = createGalleryIndexes({
    galleries: () => settings.get('galleries'),
    toEntry: toModelEntry,
    folder: join(config.dataPath, 'galleries'),
    ...{ client, clock, logger: log },
  })
  return createModelGallery({
    modelsPath: config.modelsPath,
    ...{ modelFiles, indexes, client, downloader, known, operations, services: () => services },
    shapes: createShapeReader({
      ...{ client, downloader, services: () => services, logger: log },
      folder: config.vramPersistentCache ? config.dataPath : undefined,
    }),
    concurrency: () => settings.get('artifact_download_concurrency'),
    scans: !config.disablePredownloadScan,
    memoryBytes: () => readModelMemory(backends),
    canRun: async (backend) => backends.catalog.resolve(backend) !== undefined,
    changed: (names) => backends.residency.forget(names),
  })
}

function withoutSlash(url: string | URL): string {
  return String(url).replace(/\/+$/, '')
}

/** Memory that models may take: of all graphics devices together, else of the machine. */
async function readModelMemory({ memory }: BackendRoom): Promise<number> {
  const devices = await memory.devices()
  if (devices.length > 0) return devices.reduce((total, { totalBytes }) => total + totalBytes, 0)
  return (await memory.main())?.totalBytes ?? Number.POSITIVE_INFINITY
}
