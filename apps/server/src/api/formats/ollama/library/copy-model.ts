import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { SvcError } from '@svc/errors'
import { Document, isMap, parseDocument } from 'yaml'
import { checkConfig } from '../../../../catalog/edit-config.ts'
import type { ConfigStore } from '../../../../catalog/folder-store.ts'
import type { KeyFileGate, SourceFile } from '../../../../catalog/key-file-gate.ts'
import type { ModelConfig } from '../../../../catalog/model-config.ts'
import { withStandardEscapes } from '../../../../catalog/yaml/standard-escapes.ts'
import { checkName, toModelFileName } from '../../../../files/safe-path.ts'
import { writeFileAtomic } from '../../../../files/write-file-atomic.ts'
import type { OwnPlaces } from '../../../../key-files/own-places.ts'

/** Parts of a copy. */
export interface CopyParts {
  readonly modelsPath: string
  readonly modelFiles: ConfigStore
  readonly keyFileGate: KeyFileGate
  readonly places: Pick<OwnPlaces, 'reserves'>
}

/**
 * Gives a model a second name with settings of its own; the weights are shared. The copy may read the key file of its
 * source, for the upstream of its source.
 *
 * @throws {SvcError} `invalid_request` (`invalid_name`), `conflict` (`model_exists`), `disk_full`, `file_failed`
 */
export async function copyModel(
  source: ModelConfig,
  destination: string,
  { modelsPath, modelFiles, keyFileGate, places }: CopyParts,
): Promise<void> {
  checkName(destination, 'model')
  if (modelFiles.get(destination) !== undefined) {
    throw new SvcError('conflict', `a model named "${destination}" exists already`, { code: 'model_exists' })
  }
  const file = `${toModelFileName(destination)}.yaml`
  const path = join(modelsPath, file)
  if (places.reserves(path) || (await lstat(path).catch(() => undefined)) !== undefined) {
    throw new SvcError('conflict', `the file ${file} exists already`, { code: 'model_exists' })
  }
  const original = await readOriginal(source, modelFiles)
  const { text, models } = checkConfig(renamed(source, destination, original), file)
  await keyFileGate.admit({ file, text, models }, original)
  await writeFileAtomic(path, text, { mode: 0o644 })
  await modelFiles.reload()
}

/** The file that describes a model, where there is one. */
async function readOriginal(
  model: ModelConfig,
  modelFiles: Pick<ConfigStore, 'readText'>,
): Promise<SourceFile | undefined> {
  if (model.source !== 'yaml' && model.source !== 'list') return undefined
  return { file: model.file, text: await modelFiles.readText(model) }
}

function renamed(source: ModelConfig, name: string, original: SourceFile | undefined): string {
  // A model of the product has its weights elsewhere, so its copy is an alias.
  if (source.source === 'demo') return new Document({ name, alias: source.name }).toString()
  if (original === undefined) {
    return new Document({ name, backend: source.backend, parameters: { model: source.parameters.model } }).toString()
  }
  const document = parseDocument(withStandardEscapes(original.text))
  // Of a file with several models only one is copied.
  if (source.source === 'list' || !isMap(document.contents) || document.errors.length > 0) {
    return new Document({ ...source.raw, name }).toString()
  }
  document.set('name', name)
  return document.toString()
}
