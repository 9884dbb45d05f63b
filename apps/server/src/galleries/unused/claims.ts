import { basename, join, resolve } from 'node:path'
import { SvcError } from '@svc/errors'
import { listModelFiles } from '../../catalog/delete-model.ts'
import type { ConfigStore } from '../../catalog/folder-store.ts'
import { toReason } from '../../files/file-error.ts'
import { readRegularFile } from '../../files/read-regular-file.ts'
import { listSnapshots } from '../artifacts/used-snapshots.ts'
import { listRecorded, listUsedFiles } from '../file-owners.ts'
import { listFolder, readRecords } from '../install-record.ts'
import { listParents } from '../relocate-files.ts'
import { toInside, type WalkedFolder } from './walk-folder.ts'

/** The files of the models folder that somebody needs. */
export interface Claims {
  /** Whether a model file, a record or a link names a file, its folder, or another part of the same weights. */
  holds(path: string): boolean
  /** Whether a model file or a link names a snapshot, or a link leads into it. @param folder that of the snapshot */
  holdsSnapshot(key: string, folder: string): boolean
}

/** Parts of {@link readClaims}. */
export interface ClaimParts {
  readonly modelsPath: string
  readonly modelFiles: Pick<ConfigStore, 'list' | 'problems'>
  /** Another file with models (`--models-config-file`). */
  readonly listFile: string | undefined
  /** Models that settings name; a file may be a model of its own. */
  readonly namedBySettings: () => readonly string[]
}

/** Weights outside their model; an engine finds them by the name of the model. */
const EXTERNAL_DATA = /\.onnx_data$/
const MAX_TEXT_BYTES = 16 * 1024 * 1024
/** The number in the name of a part of weights: an engine finds the other parts by their names. */
const PART = /-\d{5}-of-\d{5}(?=\.)/g

/**
 * Reads who needs which file. A file counts as needed too where the text of any model file has its name: the file may not
 * load, and may have keys that only an engine reads.
 *
 * @throws {SvcError} `conflict`, code `model_file_unreadable`; `file_failed`
 */
export async function readClaims(parts: ClaimParts, { links }: WalkedFolder): Promise<Claims> {
  const { modelsPath, modelFiles } = parts
  const models = modelFiles.list({ includeReferenced: true })
  const described = models.filter(({ source }) => source === 'yaml' || source === 'list')
  const texts = await readTexts(parts)
  const loaded = new Set(described.map(({ file }) => file))
  // One of several documents may be broken, and the models of a broken file may be those of its last good version.
  for (const { file } of modelFiles.problems()) loaded.delete(file)
  const names = [
    ...described.flatMap((model) => [...listUsedFiles(model), ...listModelFiles(model)]),
    ...(await readRecords(modelsPath)).flatMap(listRecorded),
    ...parts.namedBySettings(),
  ].map((name) => (name.includes('\0') ? undefined : toInside(modelsPath, resolve(modelsPath, name))) ?? '')
  const outside = links.filter(({ from, to }) => toUnit(from) !== toUnit(to)).map(({ to }) => to)
  const named = new Set([...names, ...outside].filter((name) => name !== '').map(fold))
  const snapshots = new Set(models.flatMap(listSnapshots))
  const all = [...texts.values()].join('\n')
  // Nobody knows the folders that a file names where it does not load.
  const broken = [...texts].flatMap(([file, text]) => (loaded.has(file) ? [] : [text])).join('\n')
  return {
    holds(path) {
      const folded = fold(path).replace(EXTERNAL_DATA, '.onnx')
      const parents = listParents(folded)
      if ([folded, ...parents].some((each) => named.has(each))) return true
      if (all.includes(basename(folded))) return true
      return broken !== '' && parents.some((parent) => broken.includes(basename(parent)))
    },
    holdsSnapshot(key, folder) {
      const isLinked = [...named].some((name) => name === fold(folder) || name.startsWith(`${fold(folder)}/`))
      return isLinked || snapshots.has(key) || all.includes(key)
    },
  }
}

/** A text as it is compared: file systems take another case or composition of a letter for the same, and parts of weights count as one. */
function fold(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll(PART, '')
}

/** The unit of hidden folders that is deleted as a whole; a link from one into itself holds nothing. */
function toUnit(path: string): string {
  return path.startsWith('.') ? path.split('/').slice(0, 3).join('/') : path
}

/** The texts of all model files, as they are compared, by the names of the files. */
async function readTexts({ modelsPath, listFile }: ClaimParts): Promise<ReadonlyMap<string, string>> {
  const names = (await listFolder(modelsPath)).filter((name) => /\.ya?ml$/i.test(name))
  const paths = [
    ...names.map((name): [string, string] => [name, join(modelsPath, name)]),
    ...(listFile === undefined ? [] : [[listFile, listFile] as [string, string]]),
  ]
  const texts = new Map<string, string>()
  for (const [name, path] of paths) texts.set(name, fold(await readText(name, path)))
  return texts
}

async function readText(name: string, path: string): Promise<string> {
  const read = await readRegularFile(path, { maxBytes: MAX_TEXT_BYTES, followsLink: true }).catch(toReason)
  if (typeof read !== 'string') return read.toString('utf8')
  throw new SvcError('conflict', `${name} may name any file, and cannot be read: ${read}`, {
    code: 'model_file_unreadable',
  })
}
