import type * as z from 'zod'
import type { YamlEntry, YamlNode } from '../yaml/node.ts'
import { type Field, findFieldMeta } from './fields.ts'

/** A sentence about a key. */
export interface KeyNote {
  readonly line: number
  /** Path of keys from the top of the file: `router.candidates[1].model`. */
  readonly key: string
  readonly reason: string
}

/** The content of a node, and the notes about it. */
export interface FieldReading<T> {
  /** The value without the parts that do not fit; undefined where nothing fits. */
  readonly value: T | undefined
  /** Values that do not fit. They refuse the file. */
  readonly problems: readonly KeyNote[]
  /** Keys that have no effect. The file is used. */
  readonly warnings: readonly KeyNote[]
}

type Path = readonly PropertyKey[]

/** Compiling a parser takes longer than hundreds of model files save by it. */
const PARSING = { jitless: true }

/** Reads a node by a field and reports every value that does not fit. */
export function readField<T>(field: Field<T>, node: YamlNode): FieldReading<T> {
  const warnings = listUnknownKeys(field, node, '')
  const parsed = field.safeParse(node, PARSING)
  if (parsed.success) return { value: parsed.data, problems: [], warnings }
  const { issues } = parsed.error
  const problems = issues.map((issue) => toNote(issue, node))
  const rest = issues.reduce<YamlNode | undefined>((left, { path }) => left && without(left, path), node)
  return { value: rest && field.safeParse(rest, PARSING).data, problems, warnings }
}

function toNote({ path, message }: z.core.$ZodIssue, root: YamlNode): KeyNote {
  let node: YamlNode | undefined = root
  let line = root.line
  for (const part of path) {
    node = child(node, part)
    line = node?.line ?? line
  }
  return { line, key: formatPath(path), reason: message }
}

function child(node: YamlNode | undefined, part: PropertyKey): YamlNode | undefined {
  if (node?.kind === 'list') return node.items[Number(part)]
  return node?.kind === 'map' ? node.entries.get(String(part))?.value : undefined
}

function formatPath(path: Path): string {
  return path.reduce<string>((key, part) => {
    if (typeof part === 'number') return `${key}[${part}]`
    return joinKeys(key, String(part))
  }, '')
}

function joinKeys(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

const ABSENT: YamlNode = { kind: 'scalar', text: '', plain: true, line: 0, weight: 1, height: 0 }

/** The node with null in one place; undefined for the node itself. */
function without(node: YamlNode, [part, ...rest]: Path): YamlNode | undefined {
  if (part === undefined) return undefined
  const inner = child(node, part)
  const replaced = (inner && without(inner, rest)) ?? ABSENT
  if (node.kind === 'list') {
    return { ...node, items: node.items.map((item, index) => (index === part ? replaced : item)) }
  }
  if (node.kind !== 'map') return node
  const entries = new Map<string, YamlEntry>(node.entries)
  const entry = entries.get(String(part))
  if (entry !== undefined) entries.set(String(part), { ...entry, value: replaced })
  return { ...node, entries }
}

/** Every key that no block of the field has, in the order of the file. */
function listUnknownKeys(field: Field, node: YamlNode, path: string): KeyNote[] {
  const { item, keys, ignored = {} } = findFieldMeta(field) ?? {}
  if (item !== undefined && node.kind === 'list')
    return node.items.flatMap((each, index) => listUnknownKeys(item, each, `${path}[${index}]`))
  if (node.kind !== 'map') return []
  // A field with keys and items is one block or a list of them.
  if (item !== undefined && keys === undefined)
    return [...node.entries].flatMap(([key, { value }]) => listUnknownKeys(item, value, joinKeys(path, key)))
  if (keys === undefined) return []
  return [...node.entries].flatMap(([key, { line, value }]) => {
    const known = Object.hasOwn(keys, key) ? keys[key] : undefined
    if (known !== undefined) return listUnknownKeys(known, value, joinKeys(path, key))
    const reason = Object.hasOwn(ignored, key) ? ignored[key] : undefined
    return [{ line, key: joinKeys(path, key), reason: reason ?? 'unknown key, kept but not used' }]
  })
}
