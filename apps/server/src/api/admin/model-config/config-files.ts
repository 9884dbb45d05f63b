import { rm } from 'node:fs/promises'
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
import {
  type ChangeOptions,
  type ConfigWriterParts,
  configNotFound,
  createConfigReader,
  createConfigWriter,
  type ReadConfig,
  toConfigFile,
  type WrittenConfig,
} from './config-folder.ts'
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
   * Gives the text that a change would lead to, and writes nothing. The keys of {@link patch}, or the text of
   * {@link replace}.
   *
   * @throws {SvcError} as {@link patch} and {@link replace}, but for names that are taken
   */
  preview(name: string, change: ConfigPatch | string, options?: ChangeOptions): Promise<ConfigPreview>
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

/** A change of a model file that is not made. */
export interface ConfigPreview {
  readonly before: ReadConfig
  /** The text after the change, which is valid. */
  readonly text: string
}

/** A file that is written over the API describes one model, so that its name and its file belong together. */
function refuseSeveral(checked: CheckedConfig): CheckedConfig {
  if (checked.models.length === 1) return checked
  throw new SvcError('invalid_request', 'the text describes several models: send them one by one', {
    code: 'several_models',
  })
}

/** The file of a model with other keys. @throws {SvcError} `not_found`, `invalid_request` */
function applyPatch({ name, file, model, text }: ReadConfig, patch: ConfigPatch): CheckedConfig {
  if (patch.name !== undefined && patch.name !== name) {
    throw new SvcError('invalid_request', 'the name of a model cannot be changed here', {
      code: 'name_fixed',
      details: { param: 'name' },
    })
  }
  if (model === undefined) throw configNotFound()
  return patchConfig(text, patch, file, name)
}

/** Parts of {@link createConfigFiles}. */
export interface ConfigFilesParts extends ConfigWriterParts {
  readonly readServerId: () => Promise<string>
  /** Runs a change while no other one of the folder runs. */
  readonly alone: <T>(change: () => Promise<T>) => Promise<T>
}

/** The files of a models folder. */
export function createConfigFiles(parts: ConfigFilesParts): ConfigFiles {
  const { modelsPath, readServerId, modelFiles, alone } = parts
  const { read, readForChange, isShared } = createConfigReader(modelFiles)
  const { write, newFile, refuseFile, refuseTakenNames } = createConfigWriter(parts)

  return {
    read,
    patch: (name, patch, options) =>
      alone(async () => {
        const before = await readForChange(name, options)
        return write(before.file, applyPatch(before, patch), { before })
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
    async preview(name, change, options) {
      const before = await readForChange(name, options)
      if (typeof change !== 'string') return { before, text: applyPatch(before, change).text }
      checkConfig(change, before.file)
      return { before, text: toBlockStyle(change) }
    },
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
