import { createHash } from 'node:crypto'
import { lstat, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { SvcError } from '@svc/errors'
import { type CheckedConfig, type ConfigPatch, checkConfig, patchConfig } from '../../../catalog/edit-config.ts'
import type { ConfigStore } from '../../../catalog/folder-store.ts'
import type { ModelConfig } from '../../../catalog/model-config.ts'
import { toFileError } from '../../../files/file-error.ts'
import { checkName, toFileName } from '../../../files/safe-path.ts'
import { writeFileAtomic } from '../../../files/write-file-atomic.ts'

/** Reads and changes the files of models. Changes of one server come one after the other. */
export interface ConfigFiles {
  /** The model of a name with its text. @throws {SvcError} `not_found` */
  read(name: string): Promise<ReadConfig>
  /** Changes keys. @throws {SvcError} `not_found`, `invalid_request`, `precondition_failed` */
  patch(name: string, patch: ConfigPatch, options?: ChangeOptions): Promise<WrittenConfig>
  /**
   * Replaces a file; a new name renames the model.
   *
   * @throws {SvcError} `not_found`, `conflict`, `invalid_request`, `precondition_failed`
   */
  replace(name: string, text: string, options?: ChangeOptions): Promise<WrittenConfig>
  /** Writes the file of a new model. @throws {SvcError} `conflict`, `invalid_request` */
  create(text: string): Promise<WrittenConfig>
}

/** A model file. */
export interface ReadConfig {
  readonly model: ModelConfig
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
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** The files of a models folder. */
export function createConfigFiles({
  modelsPath,
  modelFiles,
}: {
  readonly modelsPath: string
  readonly modelFiles: ConfigStore
}): ConfigFiles {
  let last: Promise<unknown> = Promise.resolve()
  const alone = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work)
    last = turn.catch(() => undefined)
    return turn
  }

  async function read(name: string): Promise<ReadConfig> {
    const model = modelFiles.get(name)
    if (model?.source === 'list') {
      throw new SvcError('conflict', `the model is in ${model.file} (--models-config-file): edit that file`, {
        code: 'model_listed',
      })
    }
    if (model === undefined || model.source !== 'yaml') {
      throw new SvcError('not_found', 'model configuration not found', { code: 'model_not_found' })
    }
    const text = await readFile(join(modelsPath, model.file), 'utf8').catch((error: unknown) => {
      throw toFileError(error, 'read', model.file)
    })
    return { model, text, revision: toRevision(text) }
  }

  /** @throws {SvcError} `precondition_failed`, code `config_changed` */
  async function readForChange(name: string, { revision }: ChangeOptions = {}): Promise<ReadConfig> {
    const found = await read(name)
    if (revision === undefined || revision === found.revision) return found
    throw new SvcError('precondition_failed', 'the model configuration has changed since it was read', {
      code: 'config_changed',
    })
  }

  async function write(file: string, { text }: CheckedConfig): Promise<WrittenConfig> {
    await writeFileAtomic(join(modelsPath, file), text, { mode: MODE })
    await modelFiles.reload()
    return { file, revision: toRevision(text) }
  }

  function refuseTaken(name: string): void {
    checkName(name, 'model')
    if (modelFiles.get(name) === undefined) return
    throw new SvcError('conflict', `a model named "${name}" exists already`, { code: 'model_exists' })
  }

  /** The file of a new name, which nothing has yet. */
  async function newFile(name: string): Promise<string> {
    refuseTaken(name)
    const file = `${toFileName(name.replaceAll('/', '__'))}.yaml`
    const found = await lstat(join(modelsPath, file)).catch(() => undefined)
    if (found === undefined) return file
    throw new SvcError('conflict', `the file ${file} exists already`, { code: 'model_exists' })
  }

  return {
    read,
    patch: (name, patch, options) =>
      alone(async () => {
        const { model, text } = await readForChange(name, options)
        if (patch.name !== undefined && patch.name !== name) {
          throw new SvcError('invalid_request', 'the name of a model cannot be changed here', {
            code: 'name_fixed',
            details: { param: 'name' },
          })
        }
        return write(model.file, patchConfig(text, patch, model.file))
      }),
    replace: (name, text, options) =>
      alone(async () => {
        const { model } = await readForChange(name, options)
        const checked = checkConfig(text, model.file)
        if (checked.model.name === name) return write(model.file, checked)
        const file = await newFile(checked.model.name)
        await writeFileAtomic(join(modelsPath, file), text, { mode: MODE })
        await unlink(join(modelsPath, model.file)).catch((error: unknown) => {
          throw toFileError(error, 'deleted', model.file)
        })
        await modelFiles.reload()
        return { file, revision: toRevision(text) }
      }),
    create: (text) =>
      alone(async () => {
        // Without a name of its own a model would be called after a file that is not there yet.
        const checked = checkConfig(text, '.yaml')
        return write(await newFile(checked.model.name), checked)
      }),
  }
}
