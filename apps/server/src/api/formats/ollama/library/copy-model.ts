import { lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SvcError } from '@svc/errors'
import { Document, parseDocument } from 'yaml'
import type { ConfigStore } from '../../../../catalog/folder-store.ts'
import type { ModelConfig } from '../../../../catalog/model-config.ts'
import { toFileError } from '../../../../files/file-error.ts'
import { checkName, toFileName } from '../../../../files/safe-path.ts'
import { writeFileAtomic } from '../../../../files/write-file-atomic.ts'

/**
 * Gives a model a second name with settings of its own; the weights are shared.
 *
 * @throws {SvcError} `invalid_request` (`invalid_name`), `conflict` (`model_exists`), `disk_full`, `file_failed`
 */
export async function copyModel(
  source: ModelConfig,
  destination: string,
  { modelsPath, modelFiles }: { readonly modelsPath: string; readonly modelFiles: ConfigStore },
): Promise<void> {
  checkName(destination, 'model')
  if (modelFiles.get(destination) !== undefined) {
    throw new SvcError('conflict', `a model named "${destination}" exists already`, { code: 'model_exists' })
  }
  const file = `${toFileName(destination.replaceAll('/', '__'))}.yaml`
  const path = join(modelsPath, file)
  if ((await lstat(path).catch(() => undefined)) !== undefined) {
    throw new SvcError('conflict', `the file ${file} exists already`, { code: 'model_exists' })
  }
  await writeFileAtomic(path, await renamed(source, destination), { mode: 0o644 })
  await modelFiles.reload()
}

async function renamed(source: ModelConfig, name: string): Promise<string> {
  // A model of the product has its weights elsewhere, so its copy is an alias.
  if (source.source === 'demo') return new Document({ name, alias: source.name }).toString()
  if (source.source === 'file') {
    return new Document({ name, backend: source.backend, parameters: { model: source.parameters.model } }).toString()
  }
  if (source.source === 'list') return new Document({ ...source.raw, name }).toString()
  const text = await readFile(join(source.folder, source.file), 'utf8').catch((error: unknown) => {
    throw toFileError(error, 'read', source.file)
  })
  const document = parseDocument(text)
  document.set('name', name)
  return document.toString()
}
