import { dirname, posix } from 'node:path'
import { listNames } from './list-files.ts'
import { lookAt, type Place, type ResolvedFolders, toPath } from './places.ts'

const PART = /-\d{5}(?=-of-\d{5}\.[^.]+$)/
/** Formats with everything in one file, beside files that are named after it. */
const WHOLE = /\.(gguf|ggml|bin|safetensors|pt|pth|ckpt)$/i
/** Files that engines look for under the stem of the weights. */
const STEM_ENDS = ['.json', '.txt', '.data', '.tokenizer.json']
/** Model files describe models to the server, and engines do not read them. */
const MODEL_FILE = /\.ya?ml$/i

/**
 * Places that an engine reads beside a weights file without being told: the other parts, files that are named after it,
 * and the whole folder of a graph that has its texts beside it.
 */
export async function findNeighbours(file: Place, folders: ResolvedFolders): Promise<readonly Place[]> {
  const [folder, name] = [posix.dirname(file.inner), posix.basename(file.inner)]
  const names = await listNames(dirname(toPath(file, folders)))
  if (folder !== '.' && !WHOLE.test(name) && !names.includes(`${name}.json`)) {
    return [await findModelFolder({ area: file.area, inner: folder }, names, folders)]
  }
  return listNamedAfter(file, names)
}

/** Places of files beside a file that are named after it. */
export async function findNamedAfter(file: Place, folders: ResolvedFolders): Promise<readonly Place[]> {
  return listNamedAfter(file, await listNames(dirname(toPath(file, folders))))
}

function listNamedAfter({ area, inner }: Place, names: readonly string[]): readonly Place[] {
  const [folder, name] = [posix.dirname(inner), posix.basename(inner)]
  const beside = names.filter((each) => each !== name && !MODEL_FILE.test(each) && belongsTo(each, name))
  return beside.map((each) => ({ area, inner: posix.join(folder, each) }))
}

function belongsTo(name: string, weights: string): boolean {
  if (PART.test(weights) && name.replace(PART, '') === weights.replace(PART, '')) return true
  if (name.startsWith(`${weights}.`) || name.startsWith(`${weights}_`)) return true
  const stem = weights.replace(/\.[^.]+$/, '')
  return STEM_ENDS.some((end) => name === `${stem}${end}`)
}

/** The folder of a graph, or the one above it where that has the texts. */
async function findModelFolder(folder: Place, names: readonly string[], folders: ResolvedFolders): Promise<Place> {
  const above = posix.dirname(folder.inner)
  if (posix.basename(folder.inner) !== 'onnx' || above === '.' || names.includes('config.json')) return folder
  const config = await lookAt({ area: folder.area, inner: posix.join(above, 'config.json') }, folders)
  return config?.kind === 'file' ? { area: folder.area, inner: above } : folder
}
