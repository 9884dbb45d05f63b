import { SvcError } from '@svc/errors'
import { toBytes } from './bytes.ts'
import { GoTemplateLimitError } from './errors.ts'
import { DEFAULT_GO_TEMPLATE_LIMITS } from './limits.ts'
import type { GoField, GoType, StructLike } from './types.ts'
import { typeName } from './types.ts'
import { createZero, GoBoxed, GoInteger, GoMap, GoPointer, GoSlice, GoStruct, type GoValue } from './values.ts'

/** The declaration of a field: its type, or its type with a JSON tag such as `name,omitempty`. */
export type GoFieldSpec = GoType | { readonly type: GoType; readonly json: string }

/** A struct type that can make values. Templates see exactly its fields: any other name is an error. */
export class GoStructType implements StructLike {
  readonly kind = 'struct'
  readonly name: string
  readonly fields: readonly GoField[]

  constructor(name: string, fields: readonly GoField[]) {
    this.name = name
    this.fields = fields
  }

  /**
   * Creates a value of this type from plain data, keyed by field names; a missing field gets the zero value of its
   * type. Below `any`, numbers are `float64` as in JSON, bigints are `int`, objects are maps.
   *
   * @throws SvcError `internal`, code `template_data`, for a field the type lacks or a value of another type;
   *   `template_limit` for data nested too deep
   */
  of(data: Readonly<Record<string, unknown>>): GoStruct {
    return structFrom(this, data, 0)
  }
}

/**
 * Declares a struct type for template data, with its fields in declaration order.
 *
 * @example
 * const image = goStruct('Image', { ID: 'int' })
 * const data = goStruct('MultiModalData', { Images: goSliceOf(image), Text: 'string' })
 * compileGoTemplate('{{range .Images}}<{{.ID}}>{{end}}{{.Text}}').render(data.of({ Images: [{ ID: 1 }], Text: 'hi' }))
 */
export function goStruct(name: string, fields: Readonly<Record<string, GoFieldSpec>>): GoStructType {
  return new GoStructType(
    name,
    Object.entries(fields).map(([field, spec]) => declareField(field, spec)),
  )
}

function declareField(name: string, spec: GoFieldSpec): GoField {
  if (typeof spec === 'string' || 'kind' in spec) return { name, type: spec, json: name, omitEmpty: false }
  const [json = '', ...options] = spec.json.split(',')
  return { name, type: spec.type, json: toBytes(json === '' ? name : json), omitEmpty: options.includes('omitempty') }
}

/**
 * Plain data as a template value: objects and `Map`s are maps, arrays lists, numbers `float64`, bigints `int`, null
 * and undefined nil. Values made by {@link GoStructType.of} pass through.
 *
 * @throws GoTemplateLimitError for data nested deeper than `maxDepth`
 */
export function toGoValue(data: unknown, maxDepth: number = DEFAULT_GO_TEMPLATE_LIMITS.maxValueDepth): GoValue {
  return fromAny(data, 0, maxDepth)
}

function fromAny(data: unknown, depth: number, maxDepth: number): GoValue {
  if (data === null || data === undefined) return null
  if (typeof data === 'string') return toBytes(data)
  if (typeof data === 'boolean' || typeof data === 'number') return data
  if (typeof data === 'bigint') return new GoInteger('int', data)
  if (typeof data !== 'object') throw wrongData('any', data)
  if (data instanceof GoBoxed) return boxed(data)
  if (depth >= maxDepth) throw new GoTemplateLimitError('maxValueDepth', maxDepth)
  if (Array.isArray(data)) {
    return new GoSlice(
      'any',
      data.map((item) => fromAny(item, depth + 1, maxDepth)),
    )
  }
  const entries = new Map<string, GoValue>()
  for (const [key, value] of data instanceof Map ? data : Object.entries(data)) {
    entries.set(toBytes(String(key)), fromAny(value, depth + 1, maxDepth))
  }
  return new GoMap('any', entries)
}

function boxed(data: GoBoxed): GoValue {
  if (data instanceof GoStruct || data instanceof GoMap || data instanceof GoSlice) return data
  if (data instanceof GoPointer || data instanceof GoInteger) return data
  throw wrongData('any', data)
}

function fromTyped(type: GoType, data: unknown, depth: number): GoValue {
  if (type === 'any') return fromAny(data, depth, DEFAULT_GO_TEMPLATE_LIMITS.maxValueDepth)
  if (data === undefined || data === null) return createZero(type)
  if (typeof type === 'string') return fromScalar(type, data)
  if (depth >= DEFAULT_GO_TEMPLATE_LIMITS.maxValueDepth) {
    throw new GoTemplateLimitError('maxValueDepth', DEFAULT_GO_TEMPLATE_LIMITS.maxValueDepth)
  }
  switch (type.kind) {
    case 'slice':
      if (!Array.isArray(data)) throw wrongData(typeName(type), data)
      return new GoSlice(
        type.element,
        data.map((item) => fromTyped(type.element, item, depth + 1)),
      )
    case 'map':
      return mapFrom(type.element, record(type, data), depth)
    case 'pointer': {
      const target = fromTyped(type.target(), data, depth + 1)
      return new GoPointer(type.target, target ?? undefined)
    }
    case 'struct':
      if (data instanceof GoStruct && data.type === type) return data
      return structFrom(type, record(type, data), depth)
  }
}

function fromScalar(type: Exclude<GoType, object | 'any'>, data: unknown): GoValue {
  if (type === 'string' && typeof data === 'string') return toBytes(data)
  if (type === 'bool' && typeof data === 'boolean') return data
  if (type === 'float64' && typeof data === 'number') return data
  const isWhole = typeof data === 'bigint' || (typeof data === 'number' && Number.isInteger(data))
  if (type === 'string' || type === 'bool' || type === 'float64' || type === 'complex128' || !isWhole) {
    throw wrongData(type, data)
  }
  return new GoInteger(type, BigInt(data))
}

function mapFrom(element: GoType, data: Readonly<Record<string, unknown>>, depth: number): GoMap {
  const entries = new Map<string, GoValue>()
  for (const [key, value] of Object.entries(data)) entries.set(toBytes(key), fromTyped(element, value, depth + 1))
  return new GoMap(element, entries)
}

function structFrom(type: StructLike, data: Readonly<Record<string, unknown>>, depth: number): GoStruct {
  const values = type.fields.map(({ name, type: fieldType }) => {
    return fromTyped(fieldType, Object.hasOwn(data, name) ? data[name] : undefined, depth + 1)
  })
  for (const key of Object.keys(data)) {
    if (!type.fields.some(({ name }) => name === key)) throw dataError(`${type.name} has no field ${key}`)
  }
  return new GoStruct(type, values)
}

function record(type: GoType, data: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(data)) throw wrongData(typeName(type), data)
  return data
}

function isRecord(data: unknown): data is Readonly<Record<string, unknown>> {
  return typeof data === 'object' && data !== null && !Array.isArray(data) && !(data instanceof GoBoxed)
}

function wrongData(type: string, data: unknown): SvcError {
  return dataError(`template data of type ${type} cannot come from a ${Array.isArray(data) ? 'list' : typeof data}`)
}

function dataError(message: string): SvcError {
  return new SvcError('internal', message, { code: 'template_data' })
}
