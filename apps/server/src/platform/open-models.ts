import type { Bus } from '../bus/bus.ts'
import { countDefaultThreads } from '../catalog/default-threads.ts'
import { type ConfigStore, createFolderStore } from '../catalog/folder-store.ts'
import { addFurtherModels, type FurtherModels } from '../catalog/further-models.ts'
import type { KeyFileGate } from '../catalog/key-file-gate.ts'
import type { DemoModelSource } from '../catalog/loose-weights.ts'
import { type ModelFolder, openModelFolder } from '../catalog/model-folder.ts'
import { createModelDirectory, type ModelDirectory } from '../catalog/resolve.ts'
import type { ServerConfig } from '../config/schema.ts'
import type { Logger } from '../ports.ts'
import type { Settings } from '../settings/settings.ts'
import { createLazyParser, ParserMissing } from './lazy/lazy-parser.ts'

/** Time for which a look at any model file is reused: shorter than a client needs to change the file and to ask. */
const LOOK_MS = 2

/** Options of {@link openModels}. */
export interface ModelsOptions {
  readonly config: ServerConfig
  readonly settings: Pick<Settings, 'get'>
  readonly demoModels: readonly DemoModelSource[]
  readonly keyFileGate: KeyFileGate
  readonly bus: Bus
  readonly log: Logger
  /** Models that no file describes. */
  readonly further: FurtherModels
}

/** The models of a server. */
export interface OpenModels {
  readonly modelFiles: ConfigStore
  /** The models by name, with defaults from the last {@link OpenModels.useSettings}. */
  readonly models: ModelDirectory
  /** Opens the folder of a model. That of the model files is shared: a look at one of its files counts for all. */
  openFolder(path: string): ModelFolder
  /**
   * Loads what reads model files, unless the folder has needed it already. Nothing may look at the models before this has
   * settled.
   */
  loadParser(): Promise<void>
  /** Applies the present settings as defaults. */
  useSettings(): void
}

/** Opens the models folder. Warnings and problems of the folder are logged now, not with the first request. */
export async function openModels({
  config,
  settings,
  demoModels,
  keyFileGate,
  bus,
  log,
  further,
}: ModelsOptions): Promise<OpenModels> {
  const parser = createLazyParser()
  const folder = openModelFolder(config.modelsPath, { freshMs: LOOK_MS, watches: true })
  const modelFiles = createFolderStore({
    folder: config.modelsPath,
    listFile: config.modelsConfigFile,
    demo: { models: demoModels, mode: config.demoModel },
    openFolder: () => folder,
    parseFile: parser.parse,
    keyFileGate,
    bus,
    logger: log,
  })
  try {
    await modelFiles.reload()
  } catch (error) {
    if (!(error instanceof ParserMissing)) throw error
    await parser.load()
    await modelFiles.reload()
  }
  const threads = countDefaultThreads()
  const createDirectory = (): ModelDirectory =>
    createModelDirectory(modelFiles, {
      threads: settings.get('threads'),
      defaultThreads: threads,
      f16: settings.get('f16'),
      debug: settings.get('debug'),
      contextSize: settings.get('context_size'),
      preferred: settings.get('default_model'),
    })
  let current = createDirectory()
  return {
    modelFiles,
    openFolder: (path) => (path === folder.path ? folder : openModelFolder(path)),
    loadParser: () => parser.load(),
    models: addFurtherModels(
      {
        resolve: (name, how) => current.resolve(name, how),
        findName: (name, how) => current.findName(name, how),
        find: (name) => current.find(name),
        findDefault: (usecase, isMeant) => current.findDefault(usecase, isMeant),
        findFault: (name) => current.findFault(name),
        list: (listing) => current.list(listing),
      },
      further,
    ),
    useSettings() {
      current = createDirectory()
    },
  }
}
