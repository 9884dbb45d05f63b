import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import type { JsonObject } from '@svc/pii/encoder'
import { badModel } from '../errors.ts'
import { WEIGHT_SUFFIXES, type WeightKind } from './settings.ts'

/** Paths of a model's parts. */
export interface ModelFolder {
  readonly folder: string
  /** The file of the graph. */
  readonly graphFile: string
}

/** Texts of a model folder beside the graph. A missing file reads as an empty object. */
export interface ModelTexts {
  readonly config: JsonObject
  readonly tokenizer: JsonObject
  readonly tokenizerConfig: JsonObject
  /** `sentence_bert_config.json`. */
  readonly sentenceConfig: JsonObject
  /** `1_Pooling/config.json`. */
  readonly pooling: JsonObject
  /** `modules.json`: the steps behind the model, such as `Pooling`, `Dense`, `Normalize`. */
  readonly modules: readonly string[]
}

const MAX_CONFIG_BYTES = 4 * 1024 * 1024
const MAX_TOKENIZER_BYTES = 128 * 1024 * 1024
/** Folders that hold graphs, the usual one first. */
const GRAPH_FOLDERS = ['onnx', '']
/** Preferred weights without a request for others, best first. */
const PREFERENCE: readonly WeightKind[] = ['fp32', 'q8', 'int8', 'uint8', 'fp16', 'q4', 'q4f16', 'bnb4']

/**
 * Finds the folder and the graph of a model: `onnx/model.onnx` or `model.onnx` in a folder, with the suffix of the
 * requested weights, or the named file.
 *
 * @throws OnnxError `unprocessable`
 */
export async function findModelFolder(place: string, weights: WeightKind | undefined): Promise<ModelFolder> {
  const found = await findKind(place)
  if (found === 'file') {
    const own = path.dirname(place)
    const isInner = path.basename(own) === 'onnx' && (await findKind(path.join(own, 'config.json'))) === undefined
    return { folder: isInner ? path.dirname(own) : own, graphFile: place }
  }
  if (found === undefined) throw badModel(`${path.basename(place)}: no such folder or file`)
  const names = (weights === undefined ? PREFERENCE : [weights]).map((kind) => `model${WEIGHT_SUFFIXES[kind]}.onnx`)
  for (const name of names) {
    for (const inner of GRAPH_FOLDERS) {
      const graphFile = path.join(place, inner, name)
      if ((await findKind(graphFile)) === 'file') return { folder: place, graphFile }
    }
  }
  const wanted = weights === undefined ? 'model.onnx' : (names[0] ?? '')
  throw badModel(`${path.basename(place)}: there is no onnx/${wanted} and no ${wanted}`)
}

/** Reads the files beside the graph. @throws OnnxError `unprocessable` naming the file at fault */
export async function readModelTexts(folder: string): Promise<ModelTexts> {
  const read = (name: string): Promise<JsonObject | undefined> => readObject(folder, name, MAX_CONFIG_BYTES)
  const config = await read('config.json')
  if (config === undefined) throw badModel('config.json: no such file')
  const tokenizer = await readObject(folder, 'tokenizer.json', MAX_TOKENIZER_BYTES)
  if (tokenizer === undefined) throw badModel('tokenizer.json: no such file')
  return {
    config,
    tokenizer,
    tokenizerConfig: (await read('tokenizer_config.json')) ?? {},
    sentenceConfig: (await read('sentence_bert_config.json')) ?? {},
    pooling: (await read('1_Pooling/config.json')) ?? {},
    modules: toModuleNames(await readJson(folder, 'modules.json', MAX_CONFIG_BYTES)),
  }
}

/** Names after the last dot of `type`, such as `Pooling`. */
function toModuleNames(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((entry: unknown) => {
    const type = typeof entry === 'object' && entry !== null && 'type' in entry ? entry.type : undefined
    return typeof type === 'string' ? [type.slice(type.lastIndexOf('.') + 1)] : []
  })
}

async function readObject(folder: string, name: string, maxBytes: number): Promise<JsonObject | undefined> {
  const value = await readJson(folder, name, maxBytes)
  if (value === undefined) return undefined
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw badModel(`${name}: no JSON object`)
  return value as JsonObject
}

async function readJson(folder: string, name: string, maxBytes: number): Promise<unknown> {
  const file = path.join(folder, name)
  const text = await readBounded(file, name, maxBytes)
  if (text === undefined) return undefined
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (error) {
    throw badModel(`${name}: no JSON`, error)
  }
}

async function readBounded(file: string, name: string, maxBytes: number): Promise<string | undefined> {
  try {
    const { size } = await stat(file)
    if (size > maxBytes) throw badModel(`${name}: ${size} bytes, more than ${maxBytes}`)
    return await readFile(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    if (typeof code === 'string' && /^E[A-Z]+$/.test(code)) throw badModel(`${name}: cannot be read (${code})`, error)
    throw error
  }
}

async function findKind(file: string): Promise<'file' | 'folder' | undefined> {
  try {
    const found = await stat(file)
    return found.isDirectory() ? 'folder' : 'file'
  } catch {
    return undefined
  }
}
