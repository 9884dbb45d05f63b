import { cp, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { SvcError } from '@svc/errors'
import { stringify } from 'yaml'
import { type CopyPlace, makeCopyFolder } from '../../../catalog/copy-folders.ts'
import type { ModelConfig } from '../../../catalog/model-config.ts'
import { isGgufName } from '../../../catalog/to-model-config.ts'
import { toFileError } from '../../../files/file-error.ts'
import { toModelFileName } from '../../../files/safe-path.ts'

/** Weights of a built-in model for a copy of it. */
export interface CopiedWeights {
  /** Name in the models folder: a GGUF file, or the folder of a graph and its tokenizer. */
  readonly file: string
  /** Absolute path of the file or folder to copy. */
  readonly source: string
}

/** Finds the weights of a built-in model, and the name that a copy gives them. */
export function findWeights({ folder, file }: Pick<ModelConfig, 'folder' | 'file'>, name: string): CopiedWeights {
  const base = toModelFileName(name)
  if (isGgufName(file)) return { file: `${base}.gguf`, source: join(folder, file) }
  // A graph lies in the folder `onnx` of its model.
  return { file: base, source: basename(folder) === 'onnx' ? dirname(folder) : folder }
}

/**
 * Copies weights into the models folder: whole or not at all. They are written in a new hidden folder.
 *
 * @param refuseTaken throws where the name is taken by now: a copy can take minutes
 */
export async function copyWeights(
  { source, file }: CopiedWeights,
  place: CopyPlace,
  refuseTaken: () => Promise<void>,
): Promise<void> {
  let folder: string | undefined
  try {
    folder = await makeCopyFolder(place)
    const unfinished = join(folder, 'weights')
    await cp(source, unfinished, { recursive: true, errorOnExist: true, force: false })
    await refuseTaken()
    await rename(unfinished, join(place.modelsPath, file))
  } catch (error) {
    throw SvcError.is(error) ? error : toFileError(error, 'written', file)
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true }).catch(() => undefined)
  }
}

/** The model file of a copy. It says what the built-in model does without a file. */
export function writeCopy(model: ModelConfig, name: string, weights: string): string {
  const { description, backend, knownUsecases, contextSize, options, piiDetection, llm } = model
  const keys = {
    name,
    ...(description === undefined ? {} : { description }),
    backend,
    known_usecases: [...knownUsecases],
    ...(contextSize === undefined ? {} : { context_size: contextSize }),
    ...(llm.embeddings === true ? { embeddings: true } : {}),
    ...(options.length === 0 ? {} : { options: [...options] }),
    parameters: { model: weights },
    ...(piiDetection === undefined
      ? {}
      : { pii_detection: { min_score: piiDetection.minScore, default_action: 'mask' } }),
  }
  return `# A copy of ${model.name}, which comes with the server.\n${stringify(keys)}`
}
