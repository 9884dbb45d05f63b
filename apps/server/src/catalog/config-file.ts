import { isSafeName } from '../files/safe-path.ts'
import type { ConfigProblem } from './config-problem.ts'
import { MODEL_KEYS, modelKeys } from './keys/model-keys.ts'
import { readField } from './keys/read-field.ts'
import type { ModelConfig } from './model-config.ts'
import { readRouterNotes } from './router-block.ts'
import { type ModelFilePlace, toModelConfig } from './to-model-config.ts'
import { findLine, type KeyReport, validateKeys } from './validate-keys.ts'
import type { YamlMap, YamlNode } from './yaml/node.ts'
import { readYamlDocuments } from './yaml/read-yaml.ts'
import { toPlainValue } from './yaml/scalars.ts'

/** The models of a file. A file with a problem gives no model; one bad entry of a list spoils only itself. */
export interface ModelFile {
  readonly models: readonly ModelConfig[]
  readonly problems: readonly ConfigProblem[]
}

/**
 * Reads one model file: a model, a list of models, or several documents of these. No content throws: types that do not
 * fit, broken YAML and content that is too deep or too large come back as problems that name line and key (§2.9).
 */
export function parseModelFile(content: Uint8Array | string, place: ModelFilePlace): ModelFile {
  const { file } = place
  const files = readYamlDocuments(content).map((document): ModelFile => {
    if (!document.ok) return { models: [], problems: [{ file, line: document.line, reason: document.reason }] }
    return parseDocument(document.root, place)
  })
  const models = files.flatMap((each) => each.models)
  const problems = files.flatMap((each) => each.problems)
  return models.length + problems.length > 0 ? { models, problems } : { models, problems: [{ file, reason: NO_MODEL }] }
}

const NO_MODEL = 'holds no model'

function parseDocument(root: YamlNode, place: ModelFilePlace): ModelFile {
  const { file } = place
  if (root.kind === 'map') return root.entries.size === 0 ? { models: [], problems: [] } : parseEntry(root, place)
  if (root.kind === 'scalar') return { models: [], problems: [{ file, reason: NO_MODEL }] }
  const foreign = root.items.filter(isGalleryEntry)
  const [first] = foreign
  const reason = `holds ${foreign.length} entries of a gallery, not models: add the gallery to the settings`
  const files = root.items.filter((item) => !isGalleryEntry(item)).map((item) => parseEntry(item, place))
  return {
    models: files.flatMap(({ models }) => models),
    problems: [
      ...files.flatMap(({ problems }) => problems),
      ...(first === undefined ? [] : [{ file, line: first.line, reason }]),
    ],
  }
}

/** Keys of the entries of a gallery that no model has, and keys that say how a model is served. */
const GALLERY_KEYS = ['url', 'urls', 'files', 'config_file', 'uri', 'capabilities']
const SERVING_KEYS = ['backend', 'parameters', 'alias', 'proxy', 'router', 'failover', 'pipeline']

function isGalleryEntry(node: YamlNode): boolean {
  if (node.kind !== 'map') return false
  const has = (key: string): boolean => node.entries.has(key)
  const isForeign = GALLERY_KEYS.some(has) || node.entries.get('overrides')?.value.kind === 'map'
  return isForeign && !SERVING_KEYS.some(has)
}

function parseEntry(node: YamlNode, options: ModelFilePlace): ModelFile {
  const { file } = options
  if (node.kind !== 'map') return { models: [], problems: [{ file, line: node.line, reason: 'is not a map of keys' }] }
  const reading = readField(modelKeys, node)
  const problems: ConfigProblem[] = reading.problems.map((note) => ({ file, ...note }))
  const warnings: ConfigProblem[] = reading.warnings.map((note) => ({ file, ...note }))
  const report: KeyReport = {
    problem: (found) => problems.push({ file, ...found }),
    warning: (found) => warnings.push({ file, ...found }),
    unusable: (found) => warnings.push({ file, ...found, stopsWriting: true }),
  }
  const keys = reading.value ?? {}
  validateKeys(keys, node, report)
  const name = filled(keys.name) ?? toModelName(file)
  if (!knowsAnyKey(node)) problems.push({ file, line: node.line, reason: 'holds no key of a model' })
  else if (filled(keys.name) === undefined && !isSafeName(name)) {
    problems.push({ file, line: node.line, key: 'name', reason: 'is missing' })
  }
  if (problems.length > 0) return { models: [], problems }
  const routerNotes = readRouterNotes(keys.router, { file, findLine: (key) => findLine(node, key) })
  const facts = { name, source: 'yaml', place: options, raw: toRaw(node), warnings, routerNotes } as const
  return { models: [toModelConfig(keys, facts)], problems }
}

function filled(text: string | undefined): string | undefined {
  return text === '' ? undefined : text
}

/** The name of a model whose file gives none. */
function toModelName(file: string): string {
  return file.replace(/^.*[/\\]/, '').replace(/\.ya?ml$/i, '')
}

function knowsAnyKey(node: YamlMap): boolean {
  return [...node.entries.keys()].some((key) => Object.hasOwn(MODEL_KEYS, key))
}

function toRaw(node: YamlMap): Readonly<Record<string, unknown>> {
  return Object.fromEntries([...node.entries].map(([key, { value }]) => [key, toPlainValue(value)]))
}
