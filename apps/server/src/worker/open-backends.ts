import { join } from 'node:path'
import { createWayOut, readTrustStore, type WayOut } from '@svc/http-client'
import { detectBuildFamily } from '../backends/build-family.ts'
import { type BuiltInBackend, createBackendCatalog } from '../backends/catalog.ts'
import type { Environment } from '../backends/child-environment.ts'
import type { OpenStorage } from '../cluster/object-storage/open-storage.ts'
import type { ServerConfig } from '../config/schema.ts'
import { readCredentials } from '../downloads/credentials.ts'
import { createDownloader } from '../downloads/downloader.ts'
import { finishSwaps, listBackendFolders } from '../galleries/backend-folder.ts'
import { removeBackend } from '../galleries/backend-gallery.ts'
import type { Gallery } from '../galleries/gallery.ts'
import { createGalleryIndexes } from '../galleries/gallery-indexes.ts'
import { installBackend } from '../galleries/install-backend.ts'
import { createOldCopies, type OldCopies } from '../galleries/old-copies.ts'
import { toBackendEntry } from '../galleries/to-entry.ts'
import { createOwnPlaces } from '../key-files/own-places.ts'
import type { OutboundClient } from '../outbound/client.ts'
import { createOutboundClient } from '../outbound/client.ts'
import { toAllowList } from '../outbound/target.ts'
import { readInstallRules, toUriServices } from '../platform/open-galleries.ts'
import type { Clock, Logger } from '../ports.ts'
import { createWorkerBackends, type WorkerBackends } from './backends.ts'

/** Options of {@link openWorkerBackends}. */
export interface WorkerBackendsOptions {
  readonly config: ServerConfig
  readonly builtIn: Readonly<Record<string, BuiltInBackend>>
  readonly client: OutboundClient
  readonly clock: Clock
  readonly logger: Logger
}

/** The backends of a worker with what they are made of. */
export interface OpenWorkerBackends {
  readonly backends: WorkerBackends
  /** Replaced folders, which running processes may still read. */
  readonly oldCopies: OldCopies
  close(): Promise<void>
}

/** Creates the client with which a worker reaches front ends, galleries and registries. */
export async function openOutbound(options: {
  readonly config: ServerConfig
  readonly environment: Environment
  readonly version: string
  readonly clock: Clock
  readonly logger: Logger
}): Promise<OutboundClient> {
  const { config, clock, logger } = options
  const ca = await readTrustStore({
    environment: options.environment,
    onEmpty: (variable, file) => logger.warn({ file }, `${variable} holds no certificates`),
  })
  const wayOut = toWayOut(config)
  return createOutboundClient({
    allow: toAllowList(config.contentUrlAllow),
    clock,
    log: logger,
    userAgent: `svc/${options.version.split(' ', 1)[0]}`,
    ca,
    wayOut,
  })
}

/** Opens the object storage that front ends use too; undefined where none is set. */
export async function openWorkerStorage(options: {
  readonly config: ServerConfig
  readonly environment: Environment
  readonly clock: Clock
  readonly logger: Logger
}): Promise<OpenStorage | undefined> {
  const { config, environment, clock, logger } = options
  if (!config.storageUrl) return undefined
  const { openStorage } = await import('../cluster/object-storage/open-storage.ts')
  // The client of galleries has told of a file without certificates.
  const ca = await readTrustStore({ environment, onEmpty: () => undefined })
  return openStorage(config, { ca, wayOut: toWayOut(config), clock, logger })
}

const toWayOut = (config: ServerConfig): WayOut =>
  createWayOut(() => ({ https: config.httpsProxy, http: config.httpProxy, no: config.noProxy }))

/** Reads the folders of backends and prepares installations. */
export async function openWorkerBackends(options: WorkerBackendsOptions): Promise<OpenWorkerBackends> {
  const { config, builtIn, client, clock, logger } = options
  const { backendsPath, backendsSystemPath: systemPath } = config
  await finishSwaps(backendsPath, { logger })
  const external = Object.fromEntries(config.externalGrpcBackends.map(({ name, uri }) => [name, uri]))
  const catalog = await createBackendCatalog({
    folders: [backendsPath, systemPath],
    builtIn,
    external,
    buildFamily: await detectBuildFamily({ forced: config.forceMetaBackendCapability }),
    logger,
  })
  const credentials = await readCredentials(config.credentialsFile)
  const services = toUriServices(config, credentials)
  let fromFrontEnd: readonly Gallery[] = []
  const indexes = createGalleryIndexes({
    folder: join(config.dataPath, 'galleries'),
    client,
    services: () => services,
    places: createOwnPlaces(config),
    galleries: () => mergeGalleries(fromFrontEnd, config.backendGalleries as readonly Gallery[]),
    toEntry: toBackendEntry,
    clock,
    logger,
  })
  const oldCopies = createOldCopies({ clock, logger })
  const installer = {
    client,
    downloader: createDownloader({ client, clock, logger, parts: config.downloadParts }),
    credentials,
    concurrency: () => config.artifactDownloadConcurrency,
    clock,
    oldCopies,
    backendsPath,
    systemPath,
    indexes,
    ...(await readInstallRules(config, { prefersDevelopment: () => config.preferDevelopmentBackends })),
  }
  const backends = createWorkerBackends({
    catalog,
    folders: () => listBackendFolders({ user: backendsPath, system: systemPath }),
    install: (request, work) => installBackend(request, work, installer),
    removeFolders: removeBackend,
    useGalleries(galleries) {
      fromFrontEnd = galleries
    },
    shipped: [...new Set([...Object.keys(external), ...Object.keys(builtIn)].map((name) => name.toLowerCase()))].sort(),
  })
  return {
    backends,
    oldCopies,
    async close() {
      await Promise.all([indexes.close(), oldCopies.close()])
    },
  }
}

/** The first of a name counts. */
function mergeGalleries(first: readonly Gallery[], second: readonly Gallery[]): readonly Gallery[] {
  const names = new Set(first.map(({ name }) => name))
  return [...first, ...second.filter(({ name }) => !names.has(name))]
}
