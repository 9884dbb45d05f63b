import type { ConfigStore } from '../catalog/folder-store.ts'
import { listNames } from '../catalog/keys/named-paths.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import { type InstallRecord, readRecords } from './install-record.ts'

/** Owners of the files of the models folder, as records and model files name them. */
export interface FileOwners {
  /** Whether an installation of the model has made the file, and nobody else names it. */
  isOwn(filename: string): boolean
  /** Whether a file may be taken for the one at an address, where no hash tells. */
  comesFrom(filename: string, uri: string): boolean
}

/** Reads the owners of files for an installation of a model. */
export async function readOwners(
  name: string,
  { modelsPath, modelFiles }: { readonly modelsPath: string; readonly modelFiles: Pick<ConfigStore, 'list'> },
): Promise<FileOwners> {
  const records = await readRecords(modelsPath)
  const ours = new Set(records.filter((record) => record.name === name).flatMap(listRecorded))
  const others = modelFiles.list().filter((model) => model.name !== name)
  const theirs = new Set([
    ...records.filter((record) => record.name !== name).flatMap(listRecorded),
    ...others.flatMap(listUsedFiles),
  ])
  return {
    isOwn: (filename) => ours.has(filename) && !theirs.has(filename),
    comesFrom(filename, uri) {
      const known = records.flatMap(({ files }) => files.filter((file) => file.filename === filename))
      return known.length > 0 ? known.some((file) => file.uri === uri) : !theirs.has(filename)
    },
  }
}

/** Files that an installation has written. */
export function listRecorded({ files, templates }: InstallRecord): readonly string[] {
  return [...files.map(({ filename }) => filename), ...templates]
}

/** Files that a model uses. A file without a model file is a model of its own. */
export function listUsedFiles(model: ModelConfig): readonly string[] {
  if (model.source === 'file') return [model.file]
  if (model.source === 'demo') return []
  return listNames(model.raw).flatMap(({ text, kind }) =>
    kind === 'template' ? [`${text}.tmpl`] : [text, `${text}.tmpl`],
  )
}
