import { hash } from 'node:crypto'
import { basename, dirname } from 'node:path'
import { toReason } from '../files/file-error.ts'
import { type FoundFile, isSettled } from './found-file.ts'
import type { ModelConfig } from './model-config.ts'
import { openModelFolder, readSmallFile } from './model-folder.ts'
import { MODEL_FILE_LIMITS } from './yaml/limits.ts'
import type { ParseModelFile, YamlFile } from './yaml-files.ts'

/** The file of `--models-config-file`: a list of models. */
export interface ListFile {
  /** Gives the same object while the content is the same. */
  read(): YamlFile
}

/** Options of {@link createListFile}. */
export interface ListFileOptions {
  /** Absolute path of the list. */
  readonly path: string
  /** Folder of the weights that the models name. */
  readonly modelsFolder: string
  readonly parseFile: ParseModelFile
  /** Wall time in milliseconds since the epoch. */
  readonly now: () => number
}

interface Known {
  readonly signature: string
  readonly isSettled: boolean
  readonly digest: string
  readonly file: YamlFile
}

/** Creates a list that has not been looked at. */
export function createListFile({ path, modelsFolder, parseFile, now }: ListFileOptions): ListFile {
  const folder = openModelFolder(dirname(path))
  let known: Known | undefined

  /** Gives the last good content with a problem: it stays in use while the file cannot be read. */
  const broken = (reason: string): YamlFile => {
    const models = known?.file.models ?? []
    const suffix = models.length === 0 ? '' : '; the last good version stays in use'
    return { name: path, models, problems: [{ file: path, reason: `${reason}${suffix}` }] }
  }

  const parse = (found: FoundFile): Known => {
    const facts = { signature: found.signature, isSettled: isSettled(found, now()) }
    let content: Buffer | undefined
    try {
      content = readSmallFile(found, MODEL_FILE_LIMITS.bytes)
    } catch (error) {
      return { ...facts, digest: '', file: broken(`cannot be read: ${toReason(error)}`) }
    }
    if (content === undefined) {
      return { ...facts, digest: '', file: broken(`is larger than ${MODEL_FILE_LIMITS.bytes} bytes`) }
    }
    const digest = hash('sha256', content, 'base64')
    if (known?.digest === digest) return { ...facts, digest, file: known.file }
    const place = { file: path, folder: modelsFolder, modifiedAt: found.modifiedAt }
    const { models, problems } = parseFile(content, place)
    const [first] = problems
    if (models.length === 0 && first !== undefined) return { ...facts, digest, file: broken(first.reason) }
    const listed = models.map((model): ModelConfig => ({ ...model, source: 'list' }))
    return { ...facts, digest, file: { name: path, models: listed, problems } }
  }

  return {
    read() {
      const found = folder.find(basename(path))
      if (found?.found !== true) {
        const signature = found?.fault ?? 'is missing'
        if (known?.signature !== signature) known = { signature, isSettled: true, digest: '', file: broken(signature) }
      } else if (known?.isSettled !== true || known.signature !== found.signature) known = parse(found)
      return known?.file ?? broken('is missing')
    },
  }
}
