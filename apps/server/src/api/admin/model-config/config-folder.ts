import { hash } from 'node:crypto'
import { lstat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { SvcError } from '@svc/errors'
import type { CheckedConfig } from '../../../catalog/edit-config.ts'
import type { ConfigStore } from '../../../catalog/folder-store.ts'
import type { KeyFileGate } from '../../../catalog/key-file-gate.ts'
import type { ModelConfig } from '../../../catalog/model-config.ts'
import { toFileError } from '../../../files/file-error.ts'
import { checkName, toModelFileName } from '../../../files/safe-path.ts'
import { writeFileAtomic } from '../../../files/write-file-atomic.ts'
import type { OwnPlaces } from '../../../key-files/own-places.ts'

/** A model file. */
export interface ReadConfig {
  readonly name: string
  /** Name in the models folder. */
  readonly file: string
  /** Undefined for a file whose mistakes leave no model. */
  readonly model: ModelConfig | undefined
  readonly text: string
  /** Changes with every change of the text. */
  readonly revision: string
}

/** A model file that was just written. */
export interface WrittenConfig {
  readonly file: string
  readonly revision: string
}

/** Options of a change. */
export interface ChangeOptions {
  /** The revision that the change is meant for; code `config_changed` where the file has another one by now. */
  readonly revision?: string | undefined
}

/** Reads model files of a models folder. */
export interface ConfigReader {
  /** @throws {SvcError} `not_found`, `conflict` for a model of `--models-config-file` */
  read(name: string): Promise<ReadConfig>
  /** @throws {SvcError} as `read`, and `precondition_failed`, code `config_changed` */
  readForChange(name: string, options?: ChangeOptions): Promise<ReadConfig>
  /** Whether the file of a model holds others too. */
  isShared(model: ModelConfig): boolean
}

/** Writes model files into a models folder. */
export interface ConfigWriter {
  /** @param options.before the file that the text changes */
  write(
    file: string,
    checked: CheckedConfig,
    options?: { readonly before?: ReadConfig; readonly replaces?: string },
  ): Promise<WrittenConfig>
  /** Finds the file of a new model. @throws {SvcError} `conflict`, `invalid_request` */
  newFile(name: string): Promise<string>
  /** @throws {SvcError} `conflict` for a file that is there, or that the server keeps for itself */
  refuseFile(file: string): Promise<void>
  /** Refuses a file whose models take names of other files. @throws {SvcError} `conflict`, `invalid_request` */
  refuseTakenNames(checked: CheckedConfig, file: string): CheckedConfig
}

/** Parts of {@link createConfigWriter}. */
export interface ConfigWriterParts {
  readonly modelsPath: string
  readonly modelFiles: ConfigStore
  readonly keyFileGate: KeyFileGate
  readonly places: Pick<OwnPlaces, 'reserves'>
}

const MODE = 0o644

function toRevision(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 16)
}

/** The name of the file of a new model. */
export function toConfigFile(name: string): string {
  return `${toModelFileName(name)}.yaml`
}

/** Creates the refusal of a name without a model file. */
export function configNotFound(): SvcError {
  return new SvcError('not_found', 'model configuration not found', { code: 'model_not_found' })
}

/** Creates the reader of the files that a store has. */
export function createConfigReader(modelFiles: ConfigStore): ConfigReader {
  async function read(name: string): Promise<ReadConfig> {
    const model = modelFiles.get(name)
    if (model?.source === 'list') {
      throw new SvcError('conflict', `the model is in ${model.file} (--models-config-file): edit that file`, {
        code: 'model_listed',
      })
    }
    if (model?.source === 'yaml') {
      const { file } = model
      const text = await modelFiles.readText(model)
      return { name, file, model, text, revision: toRevision(text) }
    }
    const file = model === undefined ? findBroken(name) : undefined
    if (file === undefined) throw configNotFound()
    const text = await modelFiles.readBroken(file)
    return { name, file, model: undefined, text, revision: toRevision(text) }
  }

  /** The file of a name that gives no model, because of its mistakes. */
  function findBroken(name: string): string | undefined {
    const files = modelFiles.problems().map(({ file }) => file)
    return [`${name}.yaml`, `${name}.yml`].find((file) => files.includes(file))
  }

  async function readForChange(name: string, { revision }: ChangeOptions = {}): Promise<ReadConfig> {
    const found = await read(name)
    if (revision === undefined || revision === found.revision) return found
    throw new SvcError('precondition_failed', 'the model configuration has changed since it was read', {
      code: 'config_changed',
    })
  }

  return {
    read,
    readForChange,
    isShared: ({ name, file }) =>
      modelFiles.list({ includeReferenced: true }).some((other) => other.file === file && other.name !== name),
  }
}

/** Creates the writer of a models folder. */
export function createConfigWriter({ modelsPath, modelFiles, keyFileGate, places }: ConfigWriterParts): ConfigWriter {
  async function write(
    file: string,
    { text, models }: CheckedConfig,
    { before, replaces = file }: { readonly before?: ReadConfig; readonly replaces?: string } = {},
  ): Promise<WrittenConfig> {
    const source = before && { file: before.file, text: before.text }
    await keyFileGate.admit({ file, text, models }, source)
    await writeFileAtomic(join(modelsPath, file), text, { mode: MODE })
    if (replaces !== file) await removeFile(replaces)
    await modelFiles.reload()
    return { file, revision: toRevision(text) }
  }

  async function removeFile(file: string): Promise<void> {
    await unlink(join(modelsPath, file)).catch((error: unknown) => {
      throw toFileError(error, 'deleted', file)
    })
    await keyFileGate.forget(file)
  }

  function refuseTaken(name: string): void {
    checkName(name, 'model')
    if (modelFiles.get(name) === undefined) return
    throw new SvcError('conflict', `a model named "${name}" exists already`, { code: 'model_exists' })
  }

  function refuseTakenNames(checked: CheckedConfig, file: string): CheckedConfig {
    for (const { name } of checked.models) if (modelFiles.get(name)?.file !== file) refuseTaken(name)
    return checked
  }

  async function newFile(name: string): Promise<string> {
    refuseTaken(name)
    const file = toConfigFile(name)
    await refuseFile(file)
    return file
  }

  async function refuseFile(file: string): Promise<void> {
    const path = join(modelsPath, file)
    const found = await lstat(path).catch(() => undefined)
    if (found === undefined && !places.reserves(path)) return
    throw new SvcError('conflict', `the file ${file} exists already`, { code: 'model_exists' })
  }

  return { write, newFile, refuseFile, refuseTakenNames }
}
