import { isNull, type YamlMap, type YamlNode } from '../yaml/node.ts'
import { toBoolean, toNumber, toPlainValue } from '../yaml/scalars.ts'

/** Where a value stands, and where complaints about it go. */
export interface FieldPlace {
  /** Path of keys from the top of the file. */
  readonly key: string
  readonly report: FieldReport
}

/** Takes what a field has to say about a value. */
export interface FieldReport {
  /** The value cannot be used: the file is refused. */
  problem(found: { readonly line: number; readonly key: string; readonly reason: string }): void
  /** Something is ignored: the file is used. */
  warning(found: { readonly line: number; readonly key: string; readonly reason: string }): void
}

/** The type of a key: reads a YAML value, or reports why it does not fit and answers undefined. Null reads as absent. */
export interface Field<T> {
  /** What belongs here, for messages and help: `a whole number`. */
  readonly expected: string
  /** The type of the values in a list or map. */
  readonly item?: Field<unknown> | undefined
  /** The keys of a block. */
  readonly keys?: KeyTable | undefined
  read(node: YamlNode, place: FieldPlace): T | undefined
}

/** What a field reads. */
export type FieldValue<F> = F extends Field<infer T> ? T : never

/** `top_k` as `topK`. */
export type CamelCase<Key extends string> = Key extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Key

/** Keys of a block as they stand in the file, each with its type. */
export type KeyTable = Readonly<Record<string, Field<unknown>>>

/** What a table of keys reads: camelCase names, absent keys absent. */
export type Block<Table extends KeyTable> = {
  readonly [Key in keyof Table & string as CamelCase<Key>]?: FieldValue<Table[Key]>
}

/** The name of a key in our types. */
export function toCamelCase(key: string): string {
  return key.replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

function field<T>(expected: string, read: (node: YamlNode, place: FieldPlace) => T | undefined): Field<T> {
  return { expected, read: (node, place) => (isNull(node) ? undefined : read(node, place)) }
}

function found(node: YamlNode): string {
  return node.kind === 'scalar' ? 'text' : `a ${node.kind}`
}

function misfit(node: YamlNode, place: FieldPlace, expected: string): undefined {
  place.report.problem({ line: node.line, key: place.key, reason: `expected ${expected}, found ${found(node)}` })
}

function refuse(node: YamlNode, place: FieldPlace, reason: string): undefined {
  place.report.problem({ line: node.line, key: place.key, reason })
}

/** Any scalar, exactly as written: `model: 123` is the text `123`. */
export const text: Field<string> = field('text', (node, place) =>
  node.kind === 'scalar' ? node.text : misfit(node, place, text.expected),
)

/** A boolean in any YAML 1.1 spelling, quoted too. */
export const flag: Field<boolean> = field(
  'a boolean',
  (node, place) => toBoolean(node) ?? misfit(node, place, flag.expected),
)

/** Bounds of a number, both included. */
export interface NumberRange {
  readonly min?: number | undefined
  readonly max?: number | undefined
}

const INT32 = { min: -(2 ** 31), max: 2 ** 31 - 1 }

/** A whole number that fits 32 bits, hexadecimal and `4096.0` included. */
export function integerIn(range: NumberRange): Field<number> {
  const { min = INT32.min, max = INT32.max } = range
  const expected = 'a whole number'
  return field(expected, (node, place) => {
    const value = toNumber(node)
    if (value === undefined || !Number.isInteger(value)) return misfit(node, place, expected)
    if (value < min || value > max) return refuse(node, place, `must be between ${min} and ${max}`)
    return value === 0 ? 0 : value
  })
}

/** A whole number. */
export const integer: Field<number> = integerIn({})

/** A finite number. */
export function numberIn(range: NumberRange): Field<number> {
  const { min = -Infinity, max = Infinity } = range
  const expected = 'a number'
  return field(expected, (node, place) => {
    const value = toNumber(node)
    if (value === undefined) return misfit(node, place, expected)
    if (!Number.isFinite(value)) return refuse(node, place, 'must be finite')
    if (value < min || value > max) return refuse(node, place, `must be between ${min} and ${max}`)
    return value
  })
}

/** A finite number of any size. */
export const number: Field<number> = numberIn({})

/** A number from 0 to 1. */
export const fraction: Field<number> = numberIn({ min: 0, max: 1 })

/** A boolean, or a count where more than 0 means yes: how `logprobs` has been written. */
export const flagOrCount: Field<boolean> = field('a boolean', (node, place) => {
  const count = toNumber(node)
  if (count !== undefined) return count > 0
  return toBoolean(node) ?? misfit(node, place, 'a boolean')
})

/** One of a few words; empty text reads as absent. */
export function choice<const Word extends string>(...words: readonly Word[]): Field<Word> {
  const expected = `one of ${words.join(', ')}`
  return field(expected, (node, place) => {
    if (node.kind !== 'scalar') return misfit(node, place, expected)
    const word = words.find((candidate) => candidate === node.text)
    return word === undefined && node.text !== '' ? refuse(node, place, `must be ${expected}`) : word
  })
}

/** Words that stand for others: every accepted spelling and what it means. */
export function spelling<const Word extends string>(words: Readonly<Record<string, Word>>): Field<Word> {
  const expected = `one of ${Object.keys(words).join(', ')}`
  return field(expected, (node, place) => {
    if (node.kind !== 'scalar') return misfit(node, place, expected)
    if (node.text === '') return undefined
    return Object.hasOwn(words, node.text) ? words[node.text] : refuse(node, place, `must be ${expected}`)
  })
}

/** A list of values of one type; empty entries are left out. */
export function listOf<T>(item: Field<T>): Field<readonly T[]> {
  const read = (node: YamlNode, place: FieldPlace): T[] | undefined => {
    if (node.kind !== 'list') return misfit(node, place, 'a list')
    return node.items.flatMap((entry, index) => {
      const value = item.read(entry, { ...place, key: `${place.key}[${index}]` })
      return value === undefined ? [] : [value]
    })
  }
  return { ...field('a list', read), item }
}

/** A list of texts. */
export const textList: Field<readonly string[]> = listOf(text)

/** A map from any key to values of one type; empty values are left out. */
export function mapOf<T>(value: Field<T>): Field<Readonly<Record<string, T>>> {
  const read = (node: YamlNode, place: FieldPlace): Record<string, T> | undefined => {
    if (node.kind !== 'map') return misfit(node, place, 'a map')
    const entries = [...node.entries].flatMap(([key, entry]): [string, T][] => {
      const found = value.read(entry.value, { ...place, key: `${place.key}.${key}` })
      return found === undefined ? [] : [[key, found]]
    })
    return Object.fromEntries(entries)
  }
  return { ...field('a map', read), item: value }
}

/** A map handed on as it is, for whoever reads it; its values must be sayable in JSON. */
export const freeMap: Field<Readonly<Record<string, unknown>>> = field('a map', (node, place) => {
  if (node.kind !== 'map') return misfit(node, place, 'a map')
  const entries = [...node.entries].map(([key, { value }]): [string, unknown] => [key, toPlainValue(value)])
  if (!isJson(node)) return refuse(node, place, 'must be sayable in JSON: holds a number that is not finite')
  return Object.fromEntries(entries)
})

function isJson(node: YamlNode): boolean {
  if (node.kind === 'list') return node.items.every(isJson)
  if (node.kind === 'map') return [...node.entries.values()].every(({ value }) => isJson(value))
  const value = toNumber(node)
  return value === undefined || Number.isFinite(value)
}

/** A block of known keys; unknown ones are reported as ignored. */
export function block<Table extends KeyTable>(
  table: Table,
  options: { readonly ignored?: Readonly<Record<string, string>> | undefined } = {},
): Field<Block<Table>> {
  const names = new Map(Object.keys(table).map((key) => [key, toCamelCase(key)]))
  const read = (node: YamlNode, place: FieldPlace): Block<Table> | undefined => {
    if (node.kind !== 'map') return misfit(node, place, 'a map')
    return readKeys(node, { table, names, place, ignored: options.ignored ?? {} })
  }
  return { ...field('a map', read), keys: table }
}

function readKeys<Table extends KeyTable>(
  node: YamlMap,
  options: {
    readonly table: Table
    /** Each key of the table and its name here. */
    readonly names: ReadonlyMap<string, string>
    readonly place: FieldPlace
    readonly ignored: Readonly<Record<string, string>>
  },
): Block<Table> {
  const { table, names, place, ignored } = options
  const values: Record<string, unknown> = {}
  for (const [key, entry] of node.entries) {
    const path = place.key === '' ? key : `${place.key}.${key}`
    const known = Object.hasOwn(table, key) ? table[key] : undefined
    if (known === undefined) {
      const reason = Object.hasOwn(ignored, key) ? ignored[key] : undefined
      place.report.warning({ line: entry.line, key: path, reason: reason ?? 'unknown key, kept but not used' })
      continue
    }
    const value = known.read(entry.value, { key: path, report: place.report })
    if (value !== undefined) values[names.get(key) ?? key] = value
  }
  // Names and types follow from the table that was just walked.
  return values as Block<Table>
}
