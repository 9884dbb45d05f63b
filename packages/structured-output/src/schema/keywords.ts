import { refuseSchema } from '../schema-refusal.ts'
import { isObject, type JsonObject, member, toPointer } from './json.ts'
import { childPlace, type SchemaPlace } from './schema-document.ts'

/** The kinds of JSON values; numbers with a fraction are told from whole ones. */
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
 * The keyword of a place; undefined where it has none. Everything that is made of schemas asks for them here.
 *
 * @throws `invalid_request` when the compilation has used up its steps
 */
export function keyword(place: SchemaPlace, name: string): unknown {
  const { document, pointer } = place
  if (document.budget?.spend() === false)
    throw refuseSchema(document.origin, pointer, 'takes too many steps to compile')
  return isObject(place.schema) ? member(place.schema, name) : undefined
}

/** The kinds that `type` names, with null where `nullable` is set; undefined without `type`. */
export function kindsOf(place: SchemaPlace): ReadonlySet<Kind> | undefined {
  const type = keyword(place, 'type')
  if (type === undefined) return undefined
  const names = Array.isArray(type) ? (type as readonly unknown[]) : [type]
  const kinds = names.flatMap((name) => {
    const known = typeof name === 'string' && Object.hasOwn(KINDS_OF_TYPE, name) ? KINDS_OF_TYPE[name] : undefined
    if (known === undefined) throw refuse(place, 'type', 'is no type of JSON, or a list of such types')
    return known
  })
  return new Set(keyword(place, 'nullable') === true ? [...kinds, 'null'] : kinds)
}

/** A number, as bounds are; undefined where there is none. */
export function numberOf(place: SchemaPlace, name: string): number | undefined {
  const value = keyword(place, name)
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw refuse(place, name, 'must be a number')
}

/** A count, as `minItems` is; undefined where there is none. */
export function countOf(place: SchemaPlace, name: string): number | undefined {
  const value = numberOf(place, name)
  if (value === undefined || (Number.isInteger(value) && value >= 0)) return value
  throw refuse(place, name, 'must be a whole number of at least 0')
}

/** A text; undefined where there is none. */
export function textOf(place: SchemaPlace, name: string): string | undefined {
  const value = keyword(place, name)
  if (value === undefined || typeof value === 'string') return value
  throw refuse(place, name, 'must be text')
}

/** Property names, as `required` lists them. */
export function namesOf(place: SchemaPlace, name: string): readonly string[] {
  // Draft 4 and many hand-written schemas say `required: true` beside a property; it means nothing there.
  const value = keyword(place, name)
  if (value === undefined || typeof value === 'boolean') return []
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value
  throw refuse(place, name, 'must be a list of property names')
}

/** The schema that a keyword holds; undefined where there is none. */
export function schemaOf(place: SchemaPlace, name: string): SchemaPlace | undefined {
  return keyword(place, name) === undefined ? undefined : childPlace(place, name)
}

/** The schemas that a keyword lists. */
export function schemasOf(place: SchemaPlace, name: string): readonly SchemaPlace[] {
  const value = keyword(place, name)
  if (value === undefined) return []
  if (!Array.isArray(value) || value.length === 0) throw refuse(place, name, 'must be a list of schemas')
  return value.map((_, index) => childPlace(place, name, index))
}

/** The schemas that a keyword maps names to, in the order of the schema. */
export function schemaMapOf(place: SchemaPlace, name: string): readonly (readonly [string, SchemaPlace])[] {
  const value = mapOf(place, name)
  return Object.keys(value).map((key) => [key, childPlace(place, name, key)] as const)
}

/** What a keyword maps names to. */
export function mapOf(place: SchemaPlace, name: string): JsonObject {
  const value = keyword(place, name)
  if (value === undefined) return {}
  if (!isObject(value)) throw refuse(place, name, 'must be an object')
  return value
}

/** The refusal of a keyword. */
export function refuse(place: SchemaPlace, name: string, reason: string): Error {
  return refuseSchema(place.document.origin, place.pointer + toPointer(name), reason)
}
