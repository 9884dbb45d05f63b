import { join } from 'node:path'
import { detectCapability } from '../backends/capability.ts'
import { removeStaleCopies } from '../catalog/copy-folders.ts'
import type { ConfigStore } from '../catalog/folder-store.ts'
import type { KeyFileGate } from '../catalog/key-file-gate.ts'
import { recoverUploads } from '../catalog/uploads-folder.ts'
import type { ServerConfig } from '../config/schema.ts'
import type { Database } from '../db/database.ts'
import { readCredentials } from '../downloads/credentials.ts'
import { createDownloader } from '../downloads/downloader.ts'
import { createKnownFiles } from '../downloads/known-files.ts'
import { PUBLIC_CODE_HOST, PUBLIC_HUB, type UriServices } from '../downloads/resolve-uri.ts'
import { removeStaleSnapshots } from '../galleries/artifacts/snapshot-folder.ts'
import { finishSwaps } from '../galleries/backend-folder.ts'
import { type BackendGallery, createBackendGallery, matchesBackend } from '../galleries/backend-gallery.ts'
import { createShapeReader } from '../galleries/estimator.ts'
import { createGalleryIndexes } from '../galleries/gallery-indexes.ts'
import { finishCommits } from '../galleries/model-commit.ts'
import { createModelGallery, type ModelGallery } from '../galleries/model-gallery.ts'
import { createOldCopies } from '../galleries/old-copies.ts'
import { toBackendEntry, toModelEntry } from '../galleries/to-entry.ts'
import type { OwnPlaces } from '../key-files/own-places.ts'
import type { Operations } from '../operations/operations.ts'
import { readServerId } from '../operations/server-id.ts'
import type { OutboundClient } from '../outbound/client.ts'
import type { Clock, Logger } from '../ports.ts'
import type { Settings } from '../settings/settings.ts'
import type { BackendModule } from './compose-backends.ts'

/** Parts of {@link openGalleries}. */
export interface GalleryParts {
  readonly config: ServerConfig
  readonly settings: Settings
  readonly database: Database
  readonly backends: BackendModule
  readonly modelFiles: ConfigStore
  readonly operations: Operations
  readonly client: OutboundClient
  readonly keyFileGate: KeyFileGate
  readonly places: OwnPlaces
  readonly clock: Clock
  readonly log: Logger
}

/** The galleries of a server. */
export interface OpenGalleries {
  readonly modelGallery: ModelGallery
  readonly backendGallery: BackendGallery
  /** Ends their work in the background. */
  close(): Promise<void>
}

/**
 * Finishes installations that a kill has interrupted while they replaced files, and removes what it has left of uploads and
 * copies; before anything reads the folders.
 */
export async function recoverInstalls({
  config,
  clock,
  log,
}: Pick<GalleryParts, 'config' | 'clock' | 'log'>): Promise<void> {
  const { modelsPath } = config
  const serverId = await readServerId(config.dataPath)
  await finishCommits({ modelsPath, serverId }, { logger: log, now: clock.now() })
  await removeStaleSnapshots(modelsPath, { logger: log, now: clock.now() })
  await removeStaleCopies({ modelsPath, serverId }, { logger: log, now: clock.now() })
  await recoverUploads(modelsPath, { serverId, now: clock.now() })
  await finishSwaps(config.backendsPath, { logger: log })
}

/** Which builds of backends are taken, and what they must prove. */
export async function readInstallRules(
  config: ServerConfig,
  { prefersDevelopment }: { readonly prefersDevelopment: () => boolean },
) {
  const { sigstoreTrustedRoot } = config
  return {
    signatures:
      sigstoreTrustedRoot === undefined
        ? undefined
        : await (await import('../galleries/verify-image.ts')).openSignatureVerifier(sigstoreTrustedRoot),
    requiresIntegrity: config.requireBackendIntegrity,
    capability: () => detectCapability({ forced: config.forceMetaBackendCapability }),
    tags: {
      release: config.backendImagesReleaseTag,
      branch: config.backendImagesBranchTag,
      developmentSuffix: config.backendDevSuffix,
      prefersDevelopment,
    },
  }
}

/** The services that addresses of models and backends may name. */
export function toUriServices(config: ServerConfig, credentials: UriServices['credentials']): UriServices {
  return {
    hubUrl: withoutSlash(config.hubUrl ?? PUBLIC_HUB),
    hubToken: config.hubToken,
    hubTrust: config.hubUrl === undefined ? 'public' : 'operator',
    codeHostUrl: withoutSlash(config.codeHostRawUrl ?? PUBLIC_CODE_HOST),
    codeHostTrust: config.codeHostRawUrl === undefined ? 'public' : 'operator',
    credentials,
    modelsPath: config.modelsPath,
  }
}

/** Opens the galleries. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list of parts in the order of their dependencies
export async function openGalleries(parts: GalleryParts): Promise<OpenGalleries> {
  const { config, settings, database, backends, modelFiles, operations, client, clock, log } = parts
  const credentials = await readCredentials(config.credentialsFile)
  const known = createKnownFiles({ database, clock })
  const downloader = createDownloader({ client, clock, logger: log, known, parts: config.downloadParts })
  const services = toUriServices(config, credentials)
  const addressParts = { client, services: () => services, places: parts.places }
  const indexParts = { folder: join(config.dataPath, 'galleries'), ...addressParts, clock, logger: log }
  const concurrency = (): number => settings.get('artifact_download_concurrency')
  const oldCopies = createOldCopies({ clock, logger: log })
  const backendParts = {
    client,
    downloader,
    credentials,
    concurrency,
    clock,
    oldCopies,
    backendsPath: config.backendsPath,
    systemPath: config.backendsSystemPath,
    indexes: createGalleryIndexes({
      ...indexParts,
      galleries: () => settings.get('backend_galleries'),
      toEntry: toBackendEntry,
    }),
    ...(await readInstallRules(config, { prefersDevelopment: () => settings.get('prefer_development_backends') })),
  }
  const backendsChanged = async (names: readonly string[]): Promise<void> => {
    await backends.catalog.refresh()
    const models = modelFiles.list({ includeReferenced: true }).filter(({ backend }) => matchesBackend(backend, names))
    const gone = new Set(models.map(({ name }) => name))
    backends.residency.forget([...gone])
    oldCopies.release(() =>
      backends.residency.watched().some(({ name, state }) => gone.has(name) && state !== 'loaded'),
    )
  }
  const backendGallery = createBackendGallery({
    ...backendParts,
    operations,
    logger: log,
    changed: backendsChanged,
  })
  const modelGallery = createModelGallery({
    modelsPath: config.modelsPath,
    indexes: createGalleryIndexes({
      ...indexParts,
      galleries: () => settings.get('galleries'),
      toEntry: toModelEntry,
    }),
    modelFiles,
    client,
    downloader,
    known,
    operations,
    concurrency,
    services: () => services,
    serverId: await readServerId(config.dataPath),
    clock,
    logger: log,
    keyFileGate: parts.keyFileGate,
    places: parts.places,
    listFile: config.modelsConfigFile,
    namedBySettings: () => [settings.get('default_model')],
    isInUse: (model) =>
      config.loadToMemory.includes(model) || backends.residency.watched().some(({ name }) => name === model),
    shapes: createShapeReader({
      client,
      downloader,
      services: () => services,
      clock,
      logger: log,
      folder: config.vramPersistentCache ? config.dataPath : undefined,
    }),
    scans: !config.disablePredownloadScan,
    memoryBytes: () => readModelMemory(backends),
    async canRun(backend, { signal }) {
      if (backends.catalog.resolve(backend) !== undefined) return true
      return (await backendParts.indexes.find(backend, { signal })) !== undefined
    },
    async installBackend(backend, work) {
      if (!settings.get('autoload_backend_galleries') || backends.catalog.resolve(backend) !== undefined) return
      const listed = await backendParts.indexes.find(backend, { signal: work.signal })
      // The file of the model may name a backend that runs elsewhere.
      if (listed === undefined) return
      const { installBackend } = await import('../galleries/install-backend.ts')
      const commit = (): void => work.signal.throwIfAborted()
      await backendsChanged(await installBackend({ id: listed.id }, { ...work, commit }, backendParts))
    },
    changed: (names) => backends.residency.forget(names),
  })
  return {
    modelGallery,
    backendGallery,
    async close() {
      await modelGallery.close()
      await Promise.all([modelGallery.indexes.close(), backendParts.indexes.close(), oldCopies.close()])
    },
  }
}

/** Memory that models may take: of all graphics devices together, else of the machine. */
async function readModelMemory({ memory }: BackendModule): Promise<number> {
  const devices = await memory.devices()
  if (devices.length > 0) return devices.reduce((total, { totalBytes }) => total + totalBytes, 0)
  return (await memory.main())?.totalBytes ?? Number.POSITIVE_INFINITY
}

function withoutSlash(url: string | URL): string {
  return String(url).replace(/\/+$/, '')
}
