import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { SvcError } from '@svc/errors'
import { toFileError } from '../files/file-error.ts'
import { isSafeName } from '../files/safe-path.ts'
import type { ConfigStore } from './folder-store.ts'
import type { ModelConfig } from './model-config.ts'
import { isGgufName } from './to-model-config.ts'

/**
 * Deletes the file of a model, and the weights in the models folder that no other model uses. The model file goes
 * first: a server that looks in between finds weights without a model file, never a model file without weights.
 *
 * @returns the names of the deleted files
 * @throws {SvcError} `conflict`, code `model_shared` for a model of the product, a target of an alias, or a file that
 *   holds several models; `internal` (`file_failed`)
 */
export async function deleteModel(store: ConfigStore, model: ModelConfig): Promise<readonly string[]> {
  const others = store.list({ includeReferenced: true }).filter((other) => other.name !== model.name)
  refuseShared(model, others)
  const kept = new Set(others.filter(({ source }) => source === 'yaml' || source === 'list').flatMap(listModelFiles))
  const files = [...new Set([model.file, ...listModelFiles(model)])].filter((file) => !kept.has(file))
  if (files.length === 0) throw shared(model, 'is a file that another model uses')
  for (const file of files) {
    await unlink(join(model.folder, file)).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw toFileError(error, 'deleted', file)
    })
  }
  return files
}

/**
 * Refuses the deletion of a model that others are tied to.
 *
 * @throws {SvcError} `conflict`, code `model_shared`
 */
export function refuseShared(model: ModelConfig, others: readonly ModelConfig[]): void {
  if (model.source === 'demo') throw shared(model, 'comes with the program: --demo-model false leaves it out')
  if (model.source === 'list') throw shared(model, `is in ${model.file} (--models-config-file): edit that file`)
  const alias = others.find((other) => other.alias === model.name)
  if (alias !== undefined) throw shared(model, `is what "${alias.name}" redirects to: delete that first`)
  const twin = others.find((other) => other.file === model.file)
  if (twin !== undefined) throw shared(model, `is in the same file as "${twin.name}": edit ${model.file}`)
}

function shared(model: ModelConfig, reason: string): SvcError {
  return new SvcError('conflict', `model "${model.name}" ${reason}`, { code: 'model_shared' })
}

/** Lists the GGUF files of the models folder that a model uses. */
export function listModelFiles({ parameters, llm }: ModelConfig): readonly string[] {
  const files = [parameters.model, llm.mmproj, llm.draftModel]
  return files.filter((file): file is string => file !== undefined && isGgufName(file) && isSafeName(file))
}
