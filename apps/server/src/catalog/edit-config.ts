import { SvcError } from '@svc/errors'
import { type Document, isMap, isSeq, parseAllDocuments, parseDocument, visit, type YAMLMap } from 'yaml'
import { isSafeName } from '../files/safe-path.ts'
import { parseModelFile } from './config-file.ts'
import { formatProblem } from './config-problem.ts'
import type { ModelConfig } from './model-config.ts'
import { readYamlDocuments } from './yaml/read-yaml.ts'
import { withStandardEscapes } from './yaml/standard-escapes.ts'

/** A change of a model file: the keys to set, as JSON. `null` removes a key. */
export type ConfigPatch = Readonly<Record<string, unknown>>

/** Keys whose value is a map of the user's own keys: they are replaced whole, and removed when they are empty. */
const MAP_KEYS: ReadonlySet<string> = new Set([
  'roles',
  'feature_flags',
  'chat_template_kwargs',
  'engine_args',
  'pii.entity_actions',
  'pii_detection.entity_actions',
])

/** Whether the value of a key is a map that a patch replaces as a whole. */
export function isMapKey(path: readonly string[]): boolean {
  return MAP_KEYS.has(path.join('.'))
}

/** A checked model file. */
export interface CheckedConfig {
  readonly text: string
  readonly model: ModelConfig
  /** All models of the file. */
  readonly models: readonly ModelConfig[]
}

/**
 * Checks the text of a model file that is about to be written. Every model in it must be valid.
 *
 * @param shown the name of the text in messages @default the file
 * @throws {SvcError} `invalid_request`, code `model_invalid`, naming line and key
 */
export function checkConfig(text: string, file: string, shown = file): CheckedConfig {
  const { models, problems } = parseModelFile(text, { file, folder: '', modifiedAt: 0 })
  const [model] = models
  const unusable = models.flatMap(({ warnings }) => warnings.filter(({ stopsWriting }) => stopsWriting))
  const refused = [...problems, ...unusable]
  if (model !== undefined && refused.length === 0) return { text, model, models }
  const named = refused.map((problem) => formatProblem({ ...problem, file: shown }))
  throw invalid(named.join('; ') || 'it describes no model')
}

/** Reads the name of the model that a text describes; undefined for a text that names none or is not YAML. */
export function findModelName(text: string): string | undefined {
  for (const read of readYamlDocuments(text)) {
    const name = read.ok && read.root.kind === 'map' ? read.root.entries.get('name')?.value : undefined
    if (name?.kind === 'scalar' && isSafeName(name.text)) return name.text
  }
  return undefined
}

/** Writes a text that is a JSON object as YAML in block style, with the same values. Other text comes back as it is. */
export function toBlockStyle(text: string): string {
  if (!isJsonObject(text)) return text
  const document = parseDocument(text, { intAsBigInt: true })
  visit(document, {
    Collection(_, node) {
      node.flow = node.items.length === 0
    },
    Scalar(key, node) {
      // Plain where the value stays a text without quotes, which the library knows.
      if (key === 'key' || typeof node.value === 'string') delete node.type
    },
  })
  return document.toString({ lineWidth: 0 })
}

function isJsonObject(text: string): boolean {
  try {
    return isFields(JSON.parse(text))
  } catch {
    return false
  }
}

/**
 * Changes keys of a model and leaves everything else in its file as it is: comments, order, keys that nobody knows, and
 * other models.
 *
 * @param name of the model, for a file that holds several
 * @throws {SvcError} `invalid_request`, code `model_invalid`
 */
export function patchConfig(text: string, patch: ConfigPatch, file: string, name?: string): CheckedConfig {
  // Its limits hold for the next step, which recurses.
  const faults = readYamlDocuments(text).flatMap((read) => (read.ok ? [] : [read.reason]))
  if (faults.length > 0) throw invalid(faults.join('; '))
  const documents = [...parseAllDocuments(withStandardEscapes(text), { keepSourceTokens: true })]
  merge(findMap(documents, name), patch, [])
  // Flow lists come out in the style that the file has.
  const flowCollectionPadding = /[[{] \S/.test(text)
  const texts = documents.map((document) => document.toString({ lineWidth: 0, flowCollectionPadding }))
  const marked = texts.map((each, index) => (index === 0 || /^(?:---|%)/.test(each) ? each : `---\n${each}`))
  return checkConfig(marked.join(''), file)
}

/** The map that describes a model: the only one of the file, or the one with its name. */
function findMap(documents: readonly Document.Parsed[], name: string | undefined): YAMLMap {
  const entries = documents.flatMap(({ contents }): readonly unknown[] =>
    isSeq(contents) && name !== undefined ? contents.items : [contents],
  )
  const maps = entries.filter((entry): entry is YAMLMap => isMap(entry))
  const map = maps.length === 1 ? maps[0] : maps.find((each) => each.get('name') === name)
  if (map === undefined) throw invalid('its file is not one map of keys, and holds none with its name')
  return map
}

/** The depth of a patch is that of JSON bodies, which is limited. */
function merge(map: YAMLMap, patch: ConfigPatch, path: readonly string[]): void {
  for (const [key, value] of Object.entries(patch)) {
    if (key === '__proto__') throw invalid('the key __proto__ is not allowed')
    const at = [...path, key]
    const before = map.get(key)
    const isWhole = isMapKey(at)
    if (value === null || (isWhole && isFields(value) && Object.keys(value).length === 0)) map.delete(key)
    else if (!isWhole && isFields(value) && isMap(before)) merge(before as YAMLMap, value, at)
    else map.set(key, value)
  }
}

function isFields(value: unknown): value is ConfigPatch {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function invalid(reason: string): SvcError {
  return new SvcError('invalid_request', `the model configuration is not valid: ${reason}`, { code: 'model_invalid' })
}
