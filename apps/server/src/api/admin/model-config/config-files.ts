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
  read(name: string): Promise<{ readonly model: ModelConfig; readonly text: string }>
  /** Changes keys. @returns what the file now is. @throws {SvcError} `not_found`, `invalid_request` */
  patch(name: string, patch: ConfigPatch): Promise<{ readonly revision: string }>
  /** Replaces a file; a new name renames the model. @throws {SvcError} `not_found`, `conflict`, `invalid_request` */
  replace(name: string, text: string): Promise<{ readonly file: string }>
  /** Writes the file of a new model. @throws {SvcError} `conflict`, `invalid_request` */
  create(text: string): Promise<{ readonly file: string }>
}

const MODE = 0o644

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

  async function read(name: string): Promise<{ readonly model: ModelConfig; readonly text: string }> {
    const model = modelFiles.get(name)
    if (model === undefined || model.source !== 'yaml') {
      throw new SvcError('not_found', 'model configuration not found', { code: 'model_not_found' })
    }
    const text = await readFile(join(modelsPath, model.file), 'utf8').catch((error: unknown) => {
      throw toFileError(error, 'read', model.file)
    })
    return { model, text }
  }

  async function write(file: string, { text }: CheckedConfig): Promise<void> {
    await writeFileAtomic(join(modelsPath, file), text, { mode: MODE })
    await modelFiles.reload()
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
    patch: (name, patch) =>
      alone(async () => {
        const { model, text } = await read(name)
        if (patch.name !== undefined && patch.name !== name) {
          throw new SvcError('invalid_request', 'the name of a model cannot be changed here', {
            code: 'name_fixed',
            details: { param: 'name' },
          })
        }
        const checked = patchConfig(text, patch, model.file)
        await write(model.file, checked)
        return { revision: createHash('sha256').update(checked.text).digest('hex').slice(0, 16) }
      }),
    replace: (name, text) =>
      alone(async () => {
        const { model } = await read(name)
        const checked = checkConfig(text, model.file)
        if (checked.model.name === name) {
          await write(model.file, checked)
          return { file: model.file }
        }
        const file = await newFile(checked.model.name)
        await writeFileAtomic(join(modelsPath, file), text, { mode: MODE })
        await unlink(join(modelsPath, model.file)).catch((error: unknown) => {
          throw toFileError(error, 'deleted', model.file)
        })
        await modelFiles.reload()
        return { file }
      }),
    create: (text) =>
      alone(async () => {
        // Without a name of its own a model would be called after a file that is not there yet.
        const checked = checkConfig(text, '.yaml')
        const file = await newFile(checked.model.name)
        await write(file, checked)
        return { file }
      }),
  }
}
