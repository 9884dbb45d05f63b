import * as z from 'zod'
import { isNull, type YamlNode } from '../yaml/node.ts'
import { FALSE_WORDS, TRUE_WORDS, toBoolean, toNumber, toPlainValue } from '../yaml/scalars.ts'

/** The type of a key: a schema that reads a YAML value. Null reads as absent before a field sees it. */
export type Field<T = unknown> = z.ZodType<T>

/**
 * Something beyond the model and its folder that the value of a key decides over. A gallery, a document and a file of
 * another person are foreign text: they may set no key that reaches further than `nothing`.
 *
 * - `secret`: names a variable or a file whose content leaves the server
 * - `file`: names a file; only one below the models folder is allowed
 * - `command`: starts a program, or lets the code of a repository run
 * - `upstream`: says where requests go
 * - `interception`: opens TLS connections to a host
 * - `engine`: options of an engine by name, each of which may be any of the above
 */
export type Reach = 'secret' | 'file' | 'command' | 'upstream' | 'interception' | 'engine' | 'nothing'

/** Everything about a field that its schema does not say. */
export interface FieldMeta {
  /** The accepted form, for messages: `a whole number`. */
  readonly expected: string
  /** The type of the values of a list or map. */
  readonly item?: Field | undefined
  /** The keys of a block. */
  readonly keys?: KeyTable | undefined
  /** Keys of a block that no longer have an effect, each with the warning about it. */
  readonly ignored?: Readonly<Record<string, string>> | undefined
  /** The reach of the value beyond the model and its folder. @default that of the block, else `nothing` */
  readonly reach?: Reach | undefined
  /** The field in JSON Schema, where a file may hold more than the value that is read. */
  readonly json?: Readonly<Record<string, unknown>> | undefined
}

const META = new WeakMap<Field, FieldMeta>()

/** Everything about a field that its schema does not say. */
export function findFieldMeta(field: Field): FieldMeta | undefined {
  return META.get(field)
}

/** `top_k` as `topK`. */
export type CamelCase<Key extends string> = Key extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Key

/** Keys of a block as the file spells them, each with its type. */
export type KeyTable = Readonly<Record<string, Field>>

/** The value of a table of keys: camelCase names, absent keys absent. */
export type Block<Table extends KeyTable> = {
  readonly [Key in keyof Table & string as CamelCase<Key>]?: z.output<Table[Key]>
}

/** The name of a key in our types. */
export function toCamelCase(key: string): string {
  return key.replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** The value of a node, or the sentence that refuses it. */
type Reading = { readonly value: unknown } | { readonly reason: string }

/** A schema that reads a node with a function and checks the value with another schema. */
function readNode<T>(read: (node: YamlNode) => Reading, schema: z.ZodType<T>): z.ZodType<T> {
  return z
    .transform<YamlNode, unknown>((node, context) => {
      const reading = read(node)
      if ('value' in reading) return reading.value
      context.issues.push({ code: 'custom', message: reading.reason, input: node })
      return z.NEVER
    })
    .pipe(schema)
}

function register<T>(schema: z.ZodType<T>, meta: FieldMeta): Field<T> {
  META.set(schema, meta)
  return schema
}

/** The field with a sentence that editors show. */
export function about<T>(field: Field<T>, sentence: string): Field<T> {
  const meta = META.get(field)
  if (meta === undefined) throw new Error(`not a field: ${sentence}`)
  return register(field.describe(sentence), meta)
}

/** The field with something that its value decides over; a block says it for all its keys. */
export function reaching<T>(reach: Reach, field: Field<T>): Field<T> {
  return register(field.clone(), { expected: '', ...META.get(field), reach })
}

function misfit(node: YamlNode, expected: string): Reading {
  const found = node.kind === 'scalar' ? 'text' : `a ${node.kind}`
  return { reason: `expected ${expected}, found ${found}` }
}

const SCALAR_TYPES = { type: ['string', 'number', 'boolean'] }

/**
 * Any scalar, exactly as written: `model: 123` is the text `123`. It names no file, address, secret or command: those
 * are kinds of their own, because foreign text may set this one.
 */
export const plainText: Field<string> = register(
  readNode((node) => (node.kind === 'scalar' ? { value: node.text } : misfit(node, 'text')), z.string()),
  { expected: 'text', json: SCALAR_TYPES },
)

/** Any scalar as written that nothing speaks against. */
export function checkedText({
  refuse,
  ...meta
}: Required<Pick<FieldMeta, 'expected' | 'json'>> & {
  /** The sentence that refuses a text; undefined for a good one. */
  readonly refuse: (text: string) => string | undefined
}): Field<string> {
  const read = (node: YamlNode): Reading => {
    if (node.kind !== 'scalar') return misfit(node, meta.expected)
    const reason = refuse(node.text)
    return reason === undefined ? { value: node.text } : { reason }
  }
  return register(readNode(read, z.string()), meta)
}

/** The name of a file or folder. */
export const fileName: Field<string> = reaching('file', plainText)

/** The name of a variable or a file that holds a secret. */
export const secretName: Field<string> = reaching('secret', plainText)

/** A place that requests go to. */
export const address: Field<string> = reaching('upstream', plainText)

const SWITCH_JSON = { type: ['boolean', 'string'], pattern: `^(?:${[...TRUE_WORDS, ...FALSE_WORDS].join('|')})$` }

/** A boolean in any YAML 1.1 spelling, quoted too. */
export const flag: Field<boolean> = register(
  readNode((node) => {
    const value = toBoolean(node)
    return value === undefined ? misfit(node, 'a boolean') : { value }
  }, z.boolean()),
  { expected: 'a boolean', json: SWITCH_JSON },
)

/** A boolean, or a count where more than 0 means yes: files write `logprobs` both ways. */
export const flagOrCount: Field<boolean> = register(
  readNode((node) => {
    const count = toNumber(node)
    const value = count === undefined ? toBoolean(node) : count > 0
    return value === undefined ? misfit(node, 'a boolean') : { value }
  }, z.boolean()),
  { expected: 'a boolean', json: { ...SWITCH_JSON, type: [...SWITCH_JSON.type, 'number'] } },
)

/** Bounds of a number, both included. */
export interface NumberRange {
  readonly min?: number | undefined
  readonly max?: number | undefined
}

/** Numbers that YAML 1.2 reads as text and YAML 1.1 as numbers: `1_000`, `0b101`. */
const OLD_NUMBER = '^[-+]?(?:0[box][0-9a-fA-F_]+|[0-9]+(?:_[0-9]+)+)$'
const INT32 = { min: -(2 ** 31), max: 2 ** 31 - 1 }

/** A whole number that fits 32 bits, hexadecimal and `4096.0` included. */
export function integerIn({ min = INT32.min, max = INT32.max }: NumberRange): Field<number> {
  const expected = 'a whole number'
  const error = `must be between ${min} and ${max}`
  return register(
    readNode(
      (node) => {
        const value = toNumber(node)
        if (value === undefined || !Number.isInteger(value)) return misfit(node, expected)
        return { value: value === 0 ? 0 : value }
      },
      z.number().min(min, { error, abort: true }).max(max, { error }),
    ),
    { expected, json: { type: ['integer', 'string'], minimum: min, maximum: max, pattern: OLD_NUMBER } },
  )
}

/** A whole number. */
export const integer: Field<number> = integerIn({})

/** A whole number from 0. */
export const count: Field<number> = integerIn({ min: 0 })

/** A finite number. */
export function numberIn({ min, max }: NumberRange): Field<number> {
  const expected = 'a number'
  const error = `must be between ${min ?? -Infinity} and ${max ?? Infinity}`
  const lower = min === undefined ? z.number() : z.number().min(min, { error, abort: true })
  const bounds = { ...(min === undefined ? {} : { minimum: min }), ...(max === undefined ? {} : { maximum: max }) }
  return register(
    readNode(
      (node) => {
        const value = toNumber(node)
        if (value === undefined) return misfit(node, expected)
        return Number.isFinite(value) ? { value } : { reason: 'must be finite' }
      },
      max === undefined ? lower : lower.max(max, { error }),
    ),
    { expected, json: { type: ['number', 'string'], ...bounds, pattern: OLD_NUMBER } },
  )
}

/** A finite number of any size. */
export const number: Field<number> = numberIn({})

/** A number from 0 to 1. */
export const fraction: Field<number> = numberIn({ min: 0, max: 1 })

/** Words that mean others: every accepted spelling and its meaning. Empty text reads as absent. */
export function spelling<const Word extends string>(words: Readonly<Record<string, Word>>): Field<Word> {
  const expected = `one of ${Object.keys(words).join(', ')}`
  const read = (node: YamlNode): Reading => {
    if (node.kind !== 'scalar') return misfit(node, expected)
    if (node.text === '') return { value: undefined }
    return Object.hasOwn(words, node.text) ? { value: words[node.text] } : { reason: `must be ${expected}` }
  }
  // Absent words are left out of every list, map and block.
  const schema = z.enum(Object.values(words)).optional() as z.ZodType<Word>
  return register(readNode(read, schema), { expected, json: { enum: [...Object.keys(words), ''] } })
}

/** One of a few words; empty text reads as absent. */
export function choice<const Word extends string>(...words: readonly Word[]): Field<Word> {
  return spelling<Word>(Object.fromEntries(words.map((word): [string, Word] => [word, word])))
}

/** A list of values of one type; empty entries are left out. */
export function list<T>(item: Field<T>): Field<readonly T[]> {
  const read = (node: YamlNode): Reading => {
    if (node.kind !== 'list') return misfit(node, 'a list')
    return { value: node.items.map((entry) => (isNull(entry) ? undefined : entry)) }
  }
  const items = z.array(z.optional(item)).transform((values) => values.filter((value) => value !== undefined))
  return register(readNode(read, items), { expected: 'a list', item })
}

/** A map from any key to values of one type; empty values are left out. */
export function map<T>(item: Field<T>): Field<Readonly<Record<string, T>>> {
  const read = (node: YamlNode): Reading => {
    if (node.kind !== 'map') return misfit(node, 'a map')
    const entries = [...node.entries].filter(([, { value }]) => !isNull(value))
    return { value: Object.fromEntries(entries.map(([key, { value }]) => [key, value])) }
  }
  const values = z
    .record(z.string(), item)
    .transform((found) => Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined)))
  return register(readNode(read, values), { expected: 'a map', item })
}

/** A value of one type, or a map of such values. */
export function oneOrMap<T>(item: Field<T>): Field<T | Readonly<Record<string, T>>> {
  const many = map(item)
  const schema = z.transform<YamlNode, T | Readonly<Record<string, T>>>((node, context) => {
    const reading = (node.kind === 'map' ? many : item).safeParse(node)
    if (reading.success) return reading.data
    for (const { message, path } of reading.error.issues) {
      context.issues.push({ code: 'custom', message, path: [...path], input: node })
    }
    return z.NEVER
  })
  // Values of a map are not listed as unknown keys.
  return register(schema as unknown as z.ZodType<T | Readonly<Record<string, T>>>, {
    expected: `${META.get(item)?.expected ?? 'a value'}, or a map of them`,
  })
}

/** A list of blocks, or one block in place of a list of one. */
export function oneOrList<T>(item: Field<T>): Field<readonly T[]> {
  const many = list(item)
  const schema = z
    .transform<YamlNode, readonly unknown[]>((node, context) => {
      const reading = (node.kind === 'list' ? many : item).safeParse(node)
      if (reading.success) return node.kind === 'list' ? (reading.data as readonly T[]) : [reading.data]
      for (const { message, path } of reading.error.issues) {
        context.issues.push({ code: 'custom', message, path: [...path], input: node })
      }
      return z.NEVER
    })
    .pipe(z.array(z.unknown()))
  // The values are those of the item.
  return register(schema as unknown as z.ZodType<readonly T[]>, {
    expected: 'a map, or a list of maps',
    item,
    keys: META.get(item)?.keys,
  })
}

/** A map that is passed on as it is; its values must have a form in JSON. */
export const freeMap: Field<Readonly<Record<string, unknown>>> = register(
  readNode(
    (node) => {
      if (node.kind !== 'map') return misfit(node, 'a map')
      if (!isJson(node)) return { reason: 'must be sayable in JSON: holds a number that is not finite' }
      return { value: toPlainValue(node) }
    },
    z.record(z.string(), z.unknown()),
  ),
  { expected: 'a map' },
)

/**
 * A list or map, passed on as plain data; the reader of the block finds the mistakes in it. Null reads as absent.
 *
 * @param options.expected the accepted form, for the message about a scalar
 * @param options.json the field in JSON Schema
 */
export function plainTree({ expected, json }: Pick<FieldMeta, 'expected' | 'json'>): Field<unknown> {
  const read = (node: YamlNode): Reading => {
    if (node.kind === 'scalar') return misfit(node, expected)
    if (!isJson(node)) return { reason: 'must be sayable in JSON: holds a number that is not finite' }
    return { value: toPlainValue(node) }
  }
  return register(readNode(read, z.unknown()), { expected, json })
}

function isJson(node: YamlNode): boolean {
  if (node.kind === 'list') return node.items.every(isJson)
  if (node.kind === 'map') return [...node.entries.values()].every(({ value }) => isJson(value))
  const value = toNumber(node)
  return value === undefined || Number.isFinite(value)
}

/** A block of known keys. Unknown ones are kept in the file and warned about. */
export function block<Table extends KeyTable>(
  keys: Table,
  { ignored }: Pick<FieldMeta, 'ignored'> = {},
): Field<Block<Table>> {
  const names = new Map(Object.keys(keys).map((key) => [key, toCamelCase(key)]))
  const read = (node: YamlNode): Reading => {
    if (node.kind !== 'map') return misfit(node, 'a map')
    const entries = [...node.entries].filter(([key, { value }]) => names.has(key) && !isNull(value))
    return { value: Object.fromEntries(entries.map(([key, { value }]) => [key, value])) }
  }
  const shape = Object.fromEntries(Object.entries(keys).map(([key, field]) => [key, z.optional(field)]))
  const values = z.object(shape).transform((found) => {
    const named = Object.entries(found).filter(([, value]) => value !== undefined)
    // Names and types follow from the table, whose fields made the values.
    return Object.fromEntries(named.map(([key, value]) => [names.get(key) ?? key, value])) as Block<Table>
  })
  return register(readNode(read, values), { expected: 'a map', keys, ignored })
}
