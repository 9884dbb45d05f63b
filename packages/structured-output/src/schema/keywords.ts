import { refuseSchema } from '../schema-refusal.ts'
import { isObject, type JsonObject, readMember, toPointer } from './json.ts'
import { type SchemaPlace, toChildPlace } from './schema-document.ts'

/** The kinds of JSON values; fractions and whole numbers are separate kinds. */
export const KINDS = ['null', 'boolean', 'integer', 'fraction', 'string', 'array', 'object'] as const
/** A kind of JSON values. */
export type Kind = (typeof KINDS)[number]

const KINDS_OF_TYPE: Readonly<Record<string, readonly Kind[]>> = {
  null: ['null'],
  boolean: ['boolean'],
  integer: ['integer'],
  number: ['integer', 'fraction'],
  string: ['string'],
  array: ['array'],
  object: ['object'],
}

/**
 * The keyword of a place; undefined where it is absent. All readers of schemas use this function, which counts a step.
 *
 * @throws `invalid_request` when the compilation has used up its steps
 */
export function readKeyword(place: SchemaPlace, name: string): unknown {
  const { document, pointer } = place
  if (document.budget?.spend() === false)
    throw refuseSchema(document.origin, pointer, 'takes too many steps to compile')
  const value = isObject(place.schema) ? readMember(place.schema, name) : undefined
  const { leftOut } = document
  if (value === undefined || leftOut === undefined || leftOut.size === 0) return value
  return leftOut.has(pointer + toPointer(name)) ? undefined : value
}

/** Reads the kinds that `type` names, with null where `nullable` is set; undefined without `type`. */
export function readKinds(place: SchemaPlace): ReadonlySet<Kind> | undefined {
  const type = readKeyword(place, 'type')
  if (type === undefined) return undefined
  const names = Array.isArray(type) ? (type as readonly unknown[]) : [type]
  const kinds = names.flatMap((name) => {
    const known = typeof name === 'string' && Object.hasOwn(KINDS_OF_TYPE, name) ? KINDS_OF_TYPE[name] : undefined
    if (known === undefined) throw refuse(place, 'type', 'is not a type of JSON, or a list of such types')
    return known
  })
  return new Set(readKeyword(place, 'nullable') === true ? [...kinds, 'null'] : kinds)
}

/** Reads a number, such as a bound; undefined where it is absent. */
export function readNumber(place: SchemaPlace, name: string): number | undefined {
  const value = readKeyword(place, name)
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw refuse(place, name, 'must be a number')
}

/** Reads a count, such as `minItems`; undefined where it is absent. */
export function readCount(place: SchemaPlace, name: string): number | undefined {
  const value = readNumber(place, name)
  if (value === undefined || (Number.isInteger(value) && value >= 0)) return value
  throw refuse(place, name, 'must be a whole number of at least 0')
}

/** Reads a text; undefined where it is absent. */
export function readText(place: SchemaPlace, name: string): string | undefined {
  const value = readKeyword(place, name)
  if (value === undefined || typeof value === 'string') return value
  throw refuse(place, name, 'must be text')
}

/** Reads property names, such as the names in `required`. */
export function readNames(place: SchemaPlace, name: string): readonly string[] {
  // Draft 4 and many hand-written schemas put `required: true` beside a property; it means nothing there.
  const value = readKeyword(place, name)
  if (value === undefined || typeof value === 'boolean') return []
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value
  throw refuse(place, name, 'must be a list of property names')
}

/** Reads the schema under a keyword; undefined where it is absent. */
export function readSchema(place: SchemaPlace, name: string): SchemaPlace | undefined {
  return readKeyword(place, name) === undefined ? undefined : toChildPlace(place, name)
}

/** Reads the schemas in the list of a keyword. */
export function readSchemas(place: SchemaPlace, name: string): readonly SchemaPlace[] {
  const value = readKeyword(place, name)
  if (value === undefined) return []
  if (!Array.isArray(value) || value.length === 0) throw refuse(place, name, 'must be a list of schemas')
  return value.map((_, index) => toChildPlace(place, name, index))
}

/** Reads the schemas in the map of a keyword, in the order of the schema. */
export function readSchemaMap(place: SchemaPlace, name: string): readonly (readonly [string, SchemaPlace])[] {
  const value = readMap(place, name)
  return Object.keys(value).map((key) => [key, toChildPlace(place, name, key)] as const)
}

/** Reads the map of a keyword. */
export function readMap(place: SchemaPlace, name: string): JsonObject {
  const value = readKeyword(place, name)
  if (value === undefined) return {}
  if (!isObject(value)) throw refuse(place, name, 'must be an object')
  return value
}

/** Creates the refusal of a keyword. */
export function refuse(place: SchemaPlace, name: string, reason: string): Error {
  return refuseSchema(place.document.origin, place.pointer + toPointer(name), reason)
}
