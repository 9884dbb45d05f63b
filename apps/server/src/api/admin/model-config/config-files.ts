import { hash } from 'node:crypto'
import { lstat, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { SvcError } from '@svc/errors'
import {
  type CheckedConfig,
  type ConfigPatch,
  checkConfig,
  findModelName,
  patchConfig,
  toBlockStyle,
} from '../../../catalog/edit-config.ts'
import type { ConfigStore } from '../../../catalog/folder-store.ts'
import type { KeyFileGate } from '../../../catalog/key-file-gate.ts'
import type { ModelConfig } from '../../../catalog/model-config.ts'
import { toFileError } from '../../../files/file-error.ts'
import { checkName, toModelFileName } from '../../../files/safe-path.ts'
import { writeFileAtomic } from '../../../files/write-file-atomic.ts'
import type { OwnPlaces } from '../../../key-files/own-places.ts'
import { copyWeights, findWeights, writeCopy } from './copy-built-in.ts'

/** Reads and changes the files of models. Changes come one after the other, also with those of installations. */
export interface ConfigFiles {
  /**
   * The file of a model with its text, or the file of this name that gives no model.
   *
   * @throws {SvcError} `not_found`
   */
  read(name: string): Promise<ReadConfig>
  /** Changes keys. @throws {SvcError} `not_found`, `invalid_request`, `precondition_failed` */
  patch(name: string, patch: ConfigPatch, options?: ChangeOptions): Promise<WrittenConfig>
  /**
   * Replaces a file; a new name renames the model.
   *
   * @throws {SvcError} `not_found`, `conflict`, `invalid_request`, `precondition_failed`
   */
  replace(name: string, text: string, options?: ChangeOptions): Promise<WrittenConfig>
  /**
   * Writes the file of a new model; JSON becomes YAML in block style.
   *
   * @throws {SvcError} `conflict`, `invalid_request`
   */
  create(text: string): Promise<WrittenConfig>
  /**
   * Writes a copy of a model that comes with the server, so that its file can be changed.
   *
   * @throws {SvcError} `not_found`, `conflict`, `invalid_request`, `insufficient_storage`
   */
  copyBuiltIn(name: string, newName: string): Promise<WrittenConfig>
}

/** A model file. */
export interface ReadConfig {
  readonly name: string
  /** In the models folder. */
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

const MODE = 0o644

function toRevision(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 16)
}

/** The name of the file of a new model. */
export function toConfigFile(name: string): string {
  return `${toModelFileName(name)}.yaml`
}

const notFound = (): SvcError => new SvcError('not_found', 'model configuration not found', { code: 'model_not_found' })

/** A file that is written over the API describes one model, so that its name and its file belong together. */
function refuseSeveral(checked: CheckedConfig): CheckedConfig {
  if (checked.models.length === 1) return checked
  throw new SvcError('invalid_request', 'the text describes several models: send them one by one', {
    code: 'several_models',
  })
}

/** Parts of {@link createConfigFiles}. */
export interface ConfigFilesParts {
  readonly modelsPath: string
  readonly readServerId: () => Promise<string>
  readonly modelFiles: ConfigStore
  readonly keyFileGate: KeyFileGate
  readonly places: Pick<OwnPlaces, 'reserves'>
  /** Runs a change while no other one of the folder runs. */
  readonly alone: <T>(change: () => Promise<T>) => Promise<T>
}

/** The files of a models folder. */
export function createConfigFiles({
  modelsPath,
  readServerId,
  modelFiles,
  keyFileGate,
  places,
  alone,
}: ConfigFilesParts): ConfigFiles {
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
    if (file === undefined) throw notFound()
    const text = await modelFiles.readBroken(file)
    return { name, file, model: undefined, text, revision: toRevision(text) }
  }

  /** The file of a name that gives no model, because of its mistakes. */
  function findBroken(name: string): string | undefined {
    const files = modelFiles.problems().map(({ file }) => file)
    return [`${name}.yaml`, `${name}.yml`].find((file) => files.includes(file))
  }

  /** @throws {SvcError} `precondition_failed`, code `config_changed` */
  async function readForChange(name: string, { revision }: ChangeOptions = {}): Promise<ReadConfig> {
    const found = await read(name)
    if (revision === undefined || revision === found.revision) return found
    throw new SvcError('precondition_failed', 'the model configuration has changed since it was read', {
      code: 'config_changed',
    })
  }

  /** @param before the file that the text changes */
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

  /** Whether the file of a model holds others too. */
  function isShared({ name, file }: ModelConfig): boolean {
    return modelFiles.list({ includeReferenced: true }).some((other) => other.file === file && other.name !== name)
  }

  /** A file with several models stays one, and takes no name from another file. */
  function refuseTakenNames(checked: CheckedConfig, file: string): CheckedConfig {
    for (const { name } of checked.models) if (modelFiles.get(name)?.file !== file) refuseTaken(name)
    return checked
  }

  /** The file of a new name, which nothing has yet. */
  async function newFile(name: string): Promise<string> {
    refuseTaken(name)
    const file = toConfigFile(name)
    await refuseFile(file)
    return file
  }

  /** @throws {SvcError} `conflict` for a file that is there, or that the server keeps for itself */
  async function refuseFile(file: string): Promise<void> {
    const path = join(modelsPath, file)
    const found = await lstat(path).catch(() => undefined)
    if (found === undefined && !places.reserves(path)) return
    throw new SvcError('conflict', `the file ${file} exists already`, { code: 'model_exists' })
  }

  return {
    read,
    patch: (name, patch, options) =>
      alone(async () => {
        const before = await readForChange(name, options)
        if (patch.name !== undefined && patch.name !== name) {
          throw new SvcError('invalid_request', 'the name of a model cannot be changed here', {
            code: 'name_fixed',
            details: { param: 'name' },
          })
        }
        const { file } = before
        if (before.model === undefined) throw notFound()
        return write(file, patchConfig(before.text, patch, file, name), { before })
      }),
    replace: (name, text, options) =>
      alone(async () => {
        const before = await readForChange(name, options)
        const replaces = before.file
        const checked = { ...checkConfig(text, replaces), text: toBlockStyle(text) }
        if (before.model === undefined || isShared(before.model))
          return write(replaces, refuseTakenNames(checked, replaces), { before })
        const { model } = refuseSeveral(checked)
        const file = model.name === name ? replaces : await newFile(model.name)
        return write(file, checked, { before, replaces })
      }),
    copyBuiltIn: (name, newName) =>
      alone(async () => {
        const model = modelFiles.get(name)
        if (model?.source !== 'demo') {
          throw new SvcError('not_found', 'there is no built-in model of this name', { code: 'model_not_found' })
        }
        const file = await newFile(newName)
        const weights = findWeights(model, newName)
        await refuseFile(weights.file)
        const checked = refuseSeveral(checkConfig(writeCopy(model, newName, weights.file), file))
        await copyWeights(weights, { modelsPath, serverId: await readServerId() }, () => refuseFile(weights.file))
        return write(file, checked).catch(async (error: unknown) => {
          await rm(join(modelsPath, weights.file), { recursive: true, force: true })
          throw error
        })
      }),
    create: (text) =>
      alone(async () => {
        // Without a name of its own a model would be called after a file that is not there yet.
        const name = findModelName(text)
        const shown = name === undefined ? 'the text' : toConfigFile(name)
        const checked = refuseSeveral(checkConfig(text, '.yaml', shown))
        return write(await newFile(checked.model.name), { ...checked, text: toBlockStyle(text) })
      }),
  }
}
