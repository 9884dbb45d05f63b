import { isSafeName } from '../files/safe-path.ts'
import type { ConfigProblem } from './config-problem.ts'
import { MODEL_KEYS, modelKeys } from './keys/model-keys.ts'
import { readField } from './keys/read-field.ts'
import type { ModelConfig } from './model-config.ts'
import { readRouterNotes } from './router-block.ts'
import { type ModelFilePlace, toModelConfig } from './to-model-config.ts'
import { findLine, type KeyReport, validateKeys } from './validate-keys.ts'
import type { YamlMap, YamlNode } from './yaml/node.ts'
import { readYaml } from './yaml/read-yaml.ts'
import { toPlainValue } from './yaml/scalars.ts'

/** The models of a file. A file with a problem gives no model; one bad entry of a list spoils only itself. */
export interface ModelFile {
  readonly models: readonly ModelConfig[]
  readonly problems: readonly ConfigProblem[]
}

/** Options of {@link parseModelFile}. */
export interface ParseModelFileOptions extends ModelFilePlace {
  /** The entries that count in a file that is a list. The models folder takes the first only. @default 'first' */
  readonly entries?: 'first' | 'all' | undefined
}

/**
 * Reads one model file. No content throws: types that do not fit, broken YAML and content that is too deep or too large
 * come back as problems that name line and key (§2.9).
 */
export function parseModelFile(content: Uint8Array | string, options: ParseModelFileOptions): ModelFile {
  const result = readYaml(content)
  if (!result.ok) return { models: [], problems: [{ file: options.file, line: result.line, reason: result.reason }] }
  const entries = selectEntries(result.root, options.entries ?? 'first')
  if (entries.length === 0) return { models: [], problems: [{ file: options.file, reason: 'holds no model' }] }
  const files = entries.map((entry) => parseEntry(entry, options))
  return { models: files.flatMap(({ models }) => models), problems: files.flatMap(({ problems }) => problems) }
}

function selectEntries(root: YamlNode, wanted: 'first' | 'all'): readonly YamlNode[] {
  if (root.kind === 'map') return root.entries.size === 0 ? [] : [root]
  if (root.kind === 'list') return wanted === 'all' ? root.items : root.items.slice(0, 1)
  return []
}

function parseEntry(node: YamlNode, options: ParseModelFileOptions): ModelFile {
  const { file } = options
  if (node.kind !== 'map') return { models: [], problems: [{ file, line: node.line, reason: 'is no map of keys' }] }
  const reading = readField(modelKeys, node)
  const problems: ConfigProblem[] = reading.problems.map((note) => ({ file, ...note }))
  const warnings: ConfigProblem[] = reading.warnings.map((note) => ({ file, ...note }))
  const report: KeyReport = {
    problem: (found) => problems.push({ file, ...found }),
    warning: (found) => warnings.push({ file, ...found }),
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
