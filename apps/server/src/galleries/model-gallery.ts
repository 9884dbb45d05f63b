import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { SvcError } from '@svc/errors'
import * as z from 'zod'
import type { ConfigStore } from '../catalog/folder-store.ts'
import type { KeyFileGate } from '../catalog/key-file-gate.ts'
import { createKeyedLock } from '../concurrency/keyed-lock.ts'
import type { Downloader } from '../downloads/downloader.ts'
import type { KnownFiles } from '../downloads/known-files.ts'
import type { UriServices } from '../downloads/resolve-uri.ts'
import { requireWritable } from '../files/folder-access.ts'
import type { OwnPlaces } from '../key-files/own-places.ts'
import type { Operation } from '../operations/operation.ts'
import type { Operations, OperationWork } from '../operations/operations.ts'
import type { OutboundClient } from '../outbound/client.ts'
import type { Clock, Logger } from '../ports.ts'
import type { Assessment } from './assess-entries.ts'
import type { ShapeReader } from './estimator.ts'
import type { Listed, ModelEntry } from './gallery.ts'
import type { GalleryIndexes } from './gallery-indexes.ts'
import type { ImportPlan, ImportPreferences } from './import-uri.ts'
import { DEFAULT_CONTEXT, estimateMemory, type ModelShape } from './memory-estimate.ts'
import { commitModel } from './model-commit.ts'
import type { ModelRequest } from './model-plan.ts'
import type { FoundRepository } from './search-hub.ts'
import type { UnusedFiles, UnusedParts } from './unused/find-unused.ts'
import type { PrunedFiles } from './unused/prune-files.ts'
import { createVariantChooser, listVariants, type VariantChoice, type VariantParts } from './variants.ts'

/** The models of galleries, and the actions on them. */
export interface ModelGallery {
  readonly indexes: GalleryIndexes<ModelEntry>
  /** Queues an installation. @throws {SvcError} as {@link Operations.enqueue} and {@link requireWritable} */
  install(request: ModelRequest, options?: Parameters<Operations['enqueue']>[1]): Promise<Operation>
  /**
   * Writes the configuration of an entry without its files.
   *
   * @throws {SvcError} `conflict`, code `model_exists`; as {@link planRequest}
   */
  saveConfig(id: string, options: { readonly signal: AbortSignal }): Promise<void>
  /** Queues the deletion of a model that is here. @throws {SvcError} as {@link ModelGallery.install} */
  remove(name: string): Promise<Operation>
  variants(listed: Listed<ModelEntry>, options: { readonly signal: AbortSignal }): Promise<VariantChoice>
  /** Plans the installation of the model behind an address. @throws as {@link planImport} */
  planImport(
    uri: string,
    preferences: ImportPreferences,
    options: { readonly signal: AbortSignal },
  ): Promise<ImportPlan>
  /** Repositories of the hub that have GGUF files, for words. @throws as {@link searchHub} */
  searchHub(words: string, options: { readonly signal: AbortSignal }): Promise<readonly FoundRepository[]>
  /** The size of the files that a request names; undefined where it is unknown. */
  measureRequest(request: ModelRequest, options: { readonly signal: AbortSignal }): Promise<ModelShape | undefined>
  /** Size and fit of entries, in their order. Asks origins about the first `measured` of them, and waits shortly. */
  assess(
    entries: readonly Listed<ModelEntry>[],
    options: { readonly measured: number; readonly signal: AbortSignal },
  ): Promise<readonly Assessment[]>
  /** The size of a model that is not here; undefined where it is unknown. */
  measureShape(entry: ModelEntry, options: { readonly signal: AbortSignal }): Promise<ModelShape | undefined>
  /** Finds files of the models folder that nothing needs. @throws as {@link findUnused} */
  findUnused(options: { readonly signal: AbortSignal }): Promise<UnusedFiles>
  /** Deletes unused files: the named ones, or all that go without being named. @throws as {@link pruneFiles} */
  prune(names: readonly string[] | undefined, options: { readonly signal: AbortSignal }): Promise<PrunedFiles>
  /** Runs a change of the models folder while no other one runs. */
  changeFolder<T>(change: () => Promise<T>, options: { readonly signal: AbortSignal }): Promise<T>
  /** Ends measurements that run. */
  close(): Promise<void>
}

/** Parts of {@link createModelGallery}. */
export interface ModelGalleryParts
  extends Pick<VariantParts, 'memoryBytes' | 'canRun'>,
    Pick<UnusedParts, 'listFile' | 'namedBySettings' | 'isInUse'> {
  readonly modelsPath: string
  readonly modelFiles: ConfigStore
  readonly indexes: GalleryIndexes<ModelEntry>
  readonly client: OutboundClient
  readonly downloader: Downloader
  readonly known: KnownFiles
  readonly keyFileGate: KeyFileGate
  readonly places: OwnPlaces
  readonly services: () => UriServices
  readonly shapes: ShapeReader
  readonly operations: Operations
  readonly concurrency: () => number
  readonly serverId: string
  readonly clock: Clock
  readonly logger: Logger
  readonly scans: boolean
  /** Installs a backend that a model names and that is not here. */
  readonly installBackend: (name: string, work: OperationWork) => Promise<void>
  /** Called with models whose files have changed or are gone. */
  readonly changed: (names: readonly string[]) => void
}

const fields = z.record(z.string(), z.unknown())

/** A request as it is stored with its operation. */
const storedRequest = z.object({
  id: z.string().optional(),
  url: z.string().optional(),
  name: z.string().optional(),
  variant: z.string().optional(),
  overrides: fields.optional(),
  configFile: fields.optional(),
  files: z.array(z.object({ filename: z.string(), uri: z.string(), sha256: z.string().optional() })).optional(),
})

/** Makes the gallery and takes over the operations on models. */
export function createModelGallery(parts: ModelGalleryParts): ModelGallery {
  const { operations, indexes, shapes, modelsPath, modelFiles, changed } = parts
  const variantParts: VariantParts = {
    indexes,
    memoryBytes: parts.memoryBytes,
    canRun: parts.canRun,
    findEntryBackend,
    async estimate(entry, options) {
      const shape = await shapes.read(entry, options)
      return shape && estimateMemory(shape, { contextSize: DEFAULT_CONTEXT })
    },
  }
  const folderLock = createKeyedLock()
  const installer = {
    ...parts,
    chooseVariant: createVariantChooser(variantParts),
    folderLock,
    snapshotLock: createKeyedLock(),
  }
  operations.register('model', 'installation', async (work) => {
    const request = storedRequest.parse(work.details)
    const { installModel } = await import('./install-model.ts')
    await installModel(request, work, installer)
    changed([request.name ?? work.fullName.slice(work.fullName.indexOf('@') + 1)])
  })
  operations.register('model', 'deletion', async (work) => {
    const { removeModel } = await import('./remove-model.ts')
    await folderLock.run(
      modelsPath,
      () => removeModel({ modelsPath, modelFiles, keyFileGate: parts.keyFileGate }, work.fullName),
      {
        signal: work.signal,
      },
    )
    changed([work.fullName])
  })
  return {
    indexes,
    async install(request, options) {
      await requireWritable(modelsPath)
      const details = storedRequest.parse(request)
      const fullName = toFullName(request)
      return operations.enqueue({ subject: 'model', action: 'installation', fullName, details }, options)
    },
    async saveConfig(id, { signal }) {
      const { NOTHING_FETCHED } = await import('./fetch-model-files.ts')
      const { placePlan, planRequest } = await import('./install-model.ts')
      const { plan } = await planRequest({ id }, installer, signal)
      const save = async (): Promise<void> => {
        const isTaken = (await lstat(join(modelsPath, plan.configFile)).catch(() => undefined)) !== undefined
        if (isTaken || modelFiles.get(plan.name) !== undefined) {
          throw new SvcError('conflict', `a model named "${plan.name}" exists already`, { code: 'model_exists' })
        }
        const placed = await placePlan(plan, NOTHING_FETCHED, parts, { signal, asked: {} })
        const { templates, configFile, configText } = placed.plan
        await commitModel(parts, plan.name, {
          moves: [],
          texts: [...templates, { filename: configFile, text: configText }],
        })
        await modelFiles.reload()
      }
      await folderLock.run(modelsPath, save, { signal })
    },
    async remove(name) {
      await requireWritable(modelsPath)
      return operations.enqueue({ subject: 'model', action: 'deletion', fullName: name, details: {} })
    },
    variants: (listed, options) => listVariants(listed, variantParts, options),
    planImport: async (uri, preferences, { signal }) =>
      (await import('./import-uri.ts')).planImport(uri, preferences, parts, signal),
    searchHub: async (words, { signal }) => (await import('./search-hub.ts')).searchHub(words, parts, signal),
    measureRequest: ({ files = [] }, options) => shapes.read({ files, size: '' }, options),
    assess: async (entries, options) =>
      (await import('./assess-entries.ts')).assessEntries(entries, { ...variantParts, shapes }, options),
    measureShape: (entry, options) => shapes.read(entry, options),
    findUnused: async (options) => (await import('./unused/find-unused.ts')).findUnused(parts, options),
    async prune(names, options) {
      const { pruneFiles } = await import('./unused/prune-files.ts')
      return folderLock.run(modelsPath, () => pruneFiles(names, parts, options), options)
    },
    changeFolder: (change, options) => folderLock.run(modelsPath, change, options),
    close: () => shapes.close(),
  }
}

/** The backend that an entry names, as far as the index tells. */
export function findEntryBackend({ overrides, configFile }: ModelEntry): string {
  const found = [overrides.backend, configFile.backend].find((backend) => typeof backend === 'string')
  return typeof found === 'string' ? found : ''
}

/** `gallery@name`, with the name that the model gets here. */
function toFullName({ id = '', name, url = '' }: ModelRequest): string {
  if (id === '') return name ?? url
  return name === undefined ? id : `${id.slice(0, id.indexOf('@') + 1)}${name}`
}
