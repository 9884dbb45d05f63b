import { basename, dirname } from 'node:path'
import type { Bus } from '../bus/bus.ts'
import type { ModelChanges } from '../bus/subjects.ts'
import type { Logger } from '../ports.ts'
import { createWeightsAttacher, type WeightsAttacher } from './attach-weights.ts'
import { type ConfigProblem, formatProblem } from './config-problem.ts'
import type { KeyFileGate } from './key-file-gate.ts'
import { createListFile, type ListFile } from './list-file.ts'
import { createDemoModel, type DemoModelSource } from './loose-weights.ts'
import type { ModelConfig } from './model-config.ts'
import { compareBytes, type ModelFolder, openModelFolder } from './model-folder.ts'
import { buildIndex, type DemoMode, type IndexInput, type StoreIndex, type YamlInput } from './store-index.ts'
import { isGgufName } from './to-model-config.ts'
import { continuesText } from './usecases.ts'
import { createWeightsInspector, type WeightsInspector } from './weights.ts'
import { createYamlFiles, type ParseModelFile, type YamlFile, type YamlFiles } from './yaml-files.ts'

/** Result of a reload of the models folder. */
export interface ReloadReport extends ModelChanges {
  /** Present problems of the folder. */
  readonly problems: readonly ConfigProblem[]
}

/**
 * The models by name, for every reader. {@link createFolderStore} has those of a folder: its YAML files, unused GGUF
 * files, and demo models. The next call sees changes on disk.
 *
 * Every look that finds a change publishes `models.changed`.
 */
export interface ConfigStore {
  /** Lists the models in byte order of their names. Looks at every file of the folder. */
  list(options?: { readonly includeReferenced?: boolean | undefined }): readonly ModelConfig[]
  /**
   * Gives the model of exactly this name. Looks at the one file of a known model, at the folder for any other name.
   * Gives the same object while nothing has changed.
   */
  get(name: string): ModelConfig | undefined
  /** Reads the text that describes a model of source `yaml` or `list`. @throws {SvcError} `internal`, code `file_failed` */
  readText(model: Pick<ModelConfig, 'folder' | 'file'>): Promise<string>
  /**
   * Reads the text of a model file that gives no model because of its mistakes. Links and devices stay closed.
   *
   * @throws {SvcError} `too_large`, code `model_file_too_large`
   */
  readBroken(file: string): Promise<string>
  /** Lists the problems of the last look: files that give no model, duplicate names, missing targets. */
  problems(): readonly ConfigProblem[]
  /** Looks at all files, letting other work run in between, and reports the changes since the last look. */
  reload(): Promise<ReloadReport>
  close(): void
}

/** Options of {@link createFolderStore}. */
export interface FolderStoreOptions {
  /** Absolute path; may not exist yet. */
  readonly folder: string
  /** Absolute path of a file with a list of models. A model file of the folder wins over an entry of its name. */
  readonly listFile?: string | undefined
  /** Models that come with the product. */
  readonly demo?: { readonly mode: DemoMode; readonly models: readonly DemoModelSource[] } | undefined
  readonly logger?: Logger | undefined
  /** @default changes are not published */
  readonly bus?: Pick<Bus, 'publish' | 'refreshWith'> | undefined
  /** Reads one model file. An error of it leaves the store unchanged. */
  readonly parseFile: ParseModelFile
  /** The rule for key files that models name. @default any file */
  readonly keyFileGate?: Pick<KeyFileGate, 'filter'> | undefined
  /** Wall time in milliseconds since the epoch. @default Date.now */
  readonly now?: (() => number) | undefined
  /** Opens the folder. @default openModelFolder */
  readonly openFolder?: ((path: string) => ModelFolder) | undefined
}

const YAML_NAME = /\.ya?ml$/i
/** Number of files that a reload looks at before other work runs. */
const FILES_PER_TURN = 10
const NOTHING: StoreIndex = { byName: new Map(), listed: [], referenced: [], problems: [] }

/** Creates a store; its first call looks at the folder. */
export function createFolderStore(options: FolderStoreOptions): ConfigStore {
  return new FolderStore(options)
}

/**
 * Reads a file and leaves out the models that its gate refuses. A list may be in the models folder too, where the API
 * can write it.
 */
function createGatedParser({
  parseFile,
  keyFileGate,
}: Pick<FolderStoreOptions, 'parseFile' | 'keyFileGate'>): ParseModelFile {
  if (keyFileGate === undefined) return parseFile
  return (content, place) => keyFileGate.filter(parseFile(content, place), { file: place.file, content })
}

class FolderStore implements ConfigStore {
  readonly #folder: ModelFolder
  readonly #yaml: YamlFiles
  readonly #list: ListFile | undefined
  readonly #weights: WeightsInspector
  readonly #attacher: WeightsAttacher
  readonly #demoMode: DemoMode
  readonly #demo: readonly ModelConfig[]
  readonly #demoProblems: readonly ConfigProblem[]
  readonly #logger: Logger | undefined
  readonly #bus: FolderStoreOptions['bus']
  readonly #endRefresh: (() => void) | undefined
  #input: IndexInput | undefined
  #index: StoreIndex = NOTHING

  constructor(options: FolderStoreOptions) {
    const { folder, listFile, demo, logger, now = Date.now, openFolder = openModelFolder } = options
    const parseFile = createGatedParser(options)
    this.#folder = openFolder(folder)
    this.#list =
      listFile === undefined
        ? undefined
        : createListFile({ path: listFile, modelsFolder: this.#folder.path, parseFile, now })
    this.#yaml = createYamlFiles(this.#folder, { now, parseFile })
    this.#weights = createWeightsInspector(this.#folder)
    this.#attacher = createWeightsAttacher(this.#weights)
    this.#logger = logger
    this.#bus = options.bus
    this.#endRefresh = this.#bus?.refreshWith('models.changed', () => this.#readAgain())
    this.#demoMode = demo?.mode ?? 'false'
    const delivered = readDemoModels(this.#demoMode === 'false' ? [] : (demo?.models ?? []))
    this.#demo = delivered.models
    this.#demoProblems = delivered.problems
  }

  list(options: { readonly includeReferenced?: boolean | undefined } = {}): readonly ModelConfig[] {
    this.#look()
    const { listed, referenced } = this.#index
    if (options.includeReferenced !== true || referenced.length === 0) return listed
    return [...listed, ...referenced].sort((left, right) => compareBytes(left.name, right.name))
  }

  get(name: string): ModelConfig | undefined {
    const model = this.#index.byName.get(name)
    if (model !== undefined && this.#isCurrent(model)) return model
    this.#look()
    return this.#index.byName.get(name)
  }

  async readText(model: Pick<ModelConfig, 'folder' | 'file'>): Promise<string> {
    const { readModelText } = await import('./model-texts.ts')
    return readModelText(model)
  }

  async readBroken(file: string): Promise<string> {
    const { readBrokenText } = await import('./model-texts.ts')
    return readBrokenText(this.#folder.path, file)
  }

  close(): void {
    this.#endRefresh?.()
    this.#folder.close()
  }

  problems(): readonly ConfigProblem[] {
    return this.#index.problems
  }

  async reload(): Promise<ReloadReport> {
    await this.#lookAtAll()
    return this.#look()
  }

  /** Reads the folder after another server has changed it. */
  async #readAgain(): Promise<ModelChanges | undefined> {
    await this.#lookAtAll()
    const { added, changed, removed } = this.#compareFiles()
    return hasChanged({ added, changed, removed }) ? { added, changed, removed } : undefined
  }

  async #lookAtAll(): Promise<void> {
    this.#folder.forget()
    for (const [index, name] of this.#folder.names().entries()) {
      this.#lookAt(name)
      if (index % FILES_PER_TURN === FILES_PER_TURN - 1) await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** Whether a model still equals its file: one look at the file, and one at its weights. */
  #isCurrent(model: ModelConfig): boolean {
    switch (model.source) {
      case 'yaml': {
        const described = this.#yaml.read(model.file)?.models ?? []
        return described.some((each) => this.#attacher.attach(each) === model)
      }
      case 'list':
        return this.#readList().some(({ models }) => models.includes(model))
      case 'file': {
        const weights = this.#weights.inspect(model.file)
        return weights?.usable === true && weights.summary === model.gguf
      }
      case 'agent':
      case 'peer':
      case 'demo':
        // The name may belong to a new file meanwhile.
        return false
    }
  }

  #lookAt(name: string): void {
    if (YAML_NAME.test(name)) {
      for (const model of this.#yaml.read(name)?.models ?? []) this.#attacher.attach(model)
    } else if (isGgufName(name)) this.#weights.inspect(name)
  }

  /** Looks at every file and publishes the changes. */
  #look(): ReloadReport {
    const report = this.#compareFiles()
    const { added, changed, removed } = report
    if (hasChanged(report)) this.#bus?.publish('models.changed', { added, changed, removed })
    return report
  }

  /** Looks at every file and rebuilds the index when one has changed. */
  #compareFiles(): ReloadReport {
    const input = this.#gather()
    if (this.#input === undefined || !isSameInput(this.#input, input)) {
      const before = this.#index
      this.#input = input
      const built = buildIndex(input, before.byName)
      this.#index = { ...built, problems: [...this.#demoProblems, ...built.problems] }
      return this.#describeChange(before)
    }
    return { added: [], changed: [], removed: [], problems: this.#index.problems }
  }

  #gather(): IndexInput {
    const names = this.#folder.names()
    const own = names.flatMap((name) => {
      const file = YAML_NAME.test(name) ? this.#yaml.read(name) : undefined
      return file === undefined ? [] : [this.#attach(file)]
    })
    const yaml = [...own, ...this.#readList()]
    const loose = names.flatMap((file) => {
      const weights = isGgufName(file) ? this.#weights.inspect(file) : undefined
      return weights === undefined ? [] : [{ file, weights }]
    })
    this.#yaml.keep(new Set(names))
    this.#weights.keep(
      new Set([...names, ...yaml.flatMap(({ models }) => models.map(({ parameters }) => parameters.model ?? ''))]),
    )
    return { folder: this.#folder, yaml, loose, demo: this.#demo, demoMode: this.#demoMode }
  }

  #readList(): readonly YamlInput[] {
    const file = this.#list?.read()
    return file === undefined ? [] : [this.#attach(file)]
  }

  #attach(file: YamlFile): YamlInput {
    return { file, models: file.models.map((model) => this.#attacher.attach(model)) }
  }

  #describeChange(before: StoreIndex): ReloadReport {
    const { byName, problems } = this.#index
    this.#log(before)
    return { ...compare(before.byName, byName), problems }
  }

  #log(before: StoreIndex): void {
    const known = new Set(before.problems.map(formatProblem))
    for (const problem of this.#index.problems) {
      if (!known.has(formatProblem(problem))) this.#logger?.warn({ ...problem }, 'model file has a problem')
    }
    for (const [name, model] of this.#index.byName) {
      if (before.byName.get(name)?.warnings === model.warnings) continue
      for (const warning of model.warnings) this.#logger?.warn({ ...warning }, 'model file has a key that is ignored')
    }
    for (const model of this.#index.listed) {
      const { name } = model
      const known = before.byName.get(name)
      if (known !== undefined && continuesText(known)) continue
      if (continuesText(model)) this.#logger?.info({ model: name }, 'model has no chat template and continues text')
    }
  }
}

function hasChanged({ added, changed, removed }: ModelChanges): boolean {
  return added.length + changed.length + removed.length > 0
}

function isSameInput(left: IndexInput, right: IndexInput): boolean {
  return (
    left.yaml.length === right.yaml.length &&
    left.loose.length === right.loose.length &&
    left.yaml.every((each, index) => {
      const other = right.yaml[index]
      return each.file === other?.file && each.models.every((model, at) => model === other.models[at])
    }) &&
    left.loose.every((each, index) => {
      const other = right.loose[index]
      return each.file === other?.file && each.weights === other.weights
    })
  )
}

function compare(
  before: ReadonlyMap<string, ModelConfig>,
  after: ReadonlyMap<string, ModelConfig>,
): Omit<ReloadReport, 'problems'> {
  const names = [...after.keys()]
  return {
    added: names.filter((name) => !before.has(name)).sort(compareBytes),
    changed: names.filter((name) => before.has(name) && before.get(name) !== after.get(name)).sort(compareBytes),
    removed: [...before.keys()].filter((name) => !after.has(name)).sort(compareBytes),
  }
}

function readDemoModels(sources: readonly DemoModelSource[]): { models: ModelConfig[]; problems: ConfigProblem[] } {
  const models: ModelConfig[] = []
  const problems: ConfigProblem[] = []
  for (const source of sources) {
    const folder = openModelFolder(dirname(source.file))
    const file = basename(source.file)
    const found = folder.find(file)
    const weights = isGgufName(file) ? createWeightsInspector(folder).inspect(file) : undefined
    const fault = weights?.usable === false ? weights.fault : undefined
    if (found?.found === true && fault === undefined) {
      const place = { file, folder: folder.path, modifiedAt: found.modifiedAt }
      models.push(createDemoModel(source, { place, summary: weights?.usable === true ? weights.summary : undefined }))
    } else problems.push({ file, reason: fault ?? 'is missing' })
  }
  return { models, problems }
}
