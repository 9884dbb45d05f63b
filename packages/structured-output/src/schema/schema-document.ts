import type { CompileBudget } from '../compile-budget.ts'
import { MAX_SCHEMA_JSON_DEPTH, MAX_SCHEMA_TEXT, MAX_SCHEMA_VALUES } from '../limits.ts'
import { refuseSchema, type SchemaOrigin } from '../schema-refusal.ts'
import { isObject, type JsonObject, readMember, toPointer } from './json.ts'

/** A schema: an object of keywords, or a boolean that accepts everything or nothing. */
export type Schema = JsonObject | boolean

/** A schema and its place. Two places are the same when document and pointer are. */
export interface SchemaPlace {
  readonly document: SchemaDocument
  readonly pointer: string
  readonly schema: Schema
}

/** One JSON Schema with all targets of its references. */
export interface SchemaDocument {
  readonly origin: SchemaOrigin
  readonly root: unknown
  /** Step limit of the compilation. @default none */
  readonly budget?: CompileBudget | undefined
  /**
   * JSON pointers of the keywords that are read as absent, and of the schemas that are read as `true`. It grows while
   * the schema is checked. @default none
   */
  readonly leftOut?: ReadonlySet<string> | undefined
}

/**
 * Opens a schema after checking its size.
 *
 * @throws `invalid_request` when it is too large, nested too deep, or not a schema
 */
export function openSchema(
  root: unknown,
  origin: SchemaOrigin,
  options: Pick<SchemaDocument, 'budget' | 'leftOut'> = {},
): SchemaPlace {
  const document: SchemaDocument = { origin, root, ...options }
  if (options.leftOut?.has('') !== true) measure(document)
  return toPlace(document, '', root)
}

/** The schema under a keyword of a place, or in one of its parts. */
export function toChildPlace(place: SchemaPlace, ...keys: readonly (string | number)[]): SchemaPlace {
  let value: unknown = place.schema
  for (const key of keys) {
    value = Array.isArray(value) ? value[Number(key)] : isObject(value) ? readMember(value, String(key)) : undefined
  }
  return toPlace(place.document, place.pointer + toPointer(...keys), value)
}

/** The place that a `$ref` leads to. */
export function followReference(place: SchemaPlace, reference: string): SchemaPlace {
  const at = `${place.pointer}/$ref`
  const { document } = place
  if (reference !== '#' && !reference.startsWith('#/')) {
    throw refuseSchema(document.origin, at, `only references inside the schema are followed, such as "#/$defs/name"`)
  }
  let value: unknown = document.root
  const keys =
    reference === '#'
      ? []
      : reference
          .slice(2)
          .split('/')
          .map((key) => decodeKey(key, place))
  for (const key of keys) {
    const inner = Array.isArray(value) ? (/^\d{1,9}$/.test(key) ? value[Number(key)] : undefined) : undefined
    value = isObject(value) ? readMember(value, key) : inner
    if (value === undefined) throw refuseSchema(document.origin, at, 'leads to nothing')
  }
  return toPlace(document, toPointer(...keys), value)
}

function decodeKey(key: string, place: SchemaPlace): string {
  try {
    return decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    throw refuseSchema(place.document.origin, `${place.pointer}/$ref`, 'is not valid reference')
  }
}

function toPlace(document: SchemaDocument, pointer: string, value: unknown): SchemaPlace {
  if (document.leftOut?.has(pointer) === true) return { document, pointer, schema: true }
  if (typeof value === 'boolean' || isObject(value)) return { document, pointer, schema: value }
  throw refuseSchema(document.origin, pointer, 'expected a schema: an object, true or false')
}

/** Visits every value once, without recursion, because a sender may nest values arbitrarily deep. */
function measure({ root, origin }: SchemaDocument): void {
  const open: (readonly [value: unknown, depth: number])[] = [[root, 1]]
  let values = 0
  let text = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, depth] = next
    values += 1
    if (depth > MAX_SCHEMA_JSON_DEPTH) throw refuseSchema(origin, '', `is nested deeper than ${MAX_SCHEMA_JSON_DEPTH}`)
    if (typeof value === 'string') text += value.length
    if (typeof value !== 'object' || value === null) continue
    const isList = Array.isArray(value)
    const entries = Object.entries(value)
    if (values + open.length + entries.length > MAX_SCHEMA_VALUES) {
      throw refuseSchema(origin, '', `has more than ${MAX_SCHEMA_VALUES} values`)
    }
    for (const [key, inner] of entries) {
      if (!isList) text += key.length
      open.push([inner, depth + 1])
    }
    if (text > MAX_SCHEMA_TEXT) throw refuseSchema(origin, '', `holds more than ${MAX_SCHEMA_TEXT} characters`)
  }
}
