import fc from 'fast-check'
import * as z from 'zod'

/** The part of JSON Schema that schemas of bodies use. */
interface BodySchema {
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly BodySchema[]
  readonly oneOf?: readonly BodySchema[]
  readonly properties?: Readonly<Record<string, BodySchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | BodySchema
  readonly propertyNames?: BodySchema
  readonly items?: BodySchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
}

/** Lists the keys that a body of a route may have, by its schema. */
export function listKeys(schema: z.ZodType): ReadonlySet<string> {
  return new Set(Object.keys(toBodySchema(schema).properties ?? {}))
}

/** Bodies that a schema describes: without optional keys except the listed ones, or with some of them. */
export function createValues(schema: z.ZodType, keys: 'some' | readonly string[]): fc.Arbitrary<unknown> {
  const body = toBodySchema(schema)
  if (keys === 'some') return toArbitrary(body, true)
  const asked = keys.filter((key) => body.properties !== undefined && key in body.properties)
  return toArbitrary({ ...body, required: [...new Set([...(body.required ?? []), ...asked])] }, false)
}

function toBodySchema(schema: z.ZodType): BodySchema {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as BodySchema
}

/** Texts for a model, including some that it may misread. */
const TEXTS = [
  'Hi',
  'a b c',
  '',
  ' ',
  '\n',
  'größe',
  '日本',
  '😀',
  '\u0000',
  '\ud800',
  '{"a":1}',
  '<tool_call>',
  '{{.Input}}',
  'Ada Lovelace <ada@host.example>',
  '{"to":"ada@host.example","ada@host.example":1}',
]
/** Texts with a meaning as a medium, a reference or a number. */
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const MEANINGFUL = [
  PICTURE,
  `data:image/png;base64,${PICTURE}`,
  'data:,',
  'http://127.0.0.1:1/x',
  'file:///etc/passwd',
  '5m',
  '7',
]

const text = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 2, arbitrary: fc.constantFrom(...MEANINGFUL) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
)
const anything = fc.jsonValue({ maxDepth: 2, stringUnit: 'binary' })

function toArbitrary(schema: BodySchema, withOptional: boolean): fc.Arbitrary<unknown> {
  const again = (part: BodySchema): fc.Arbitrary<unknown> => toArbitrary(part, withOptional)
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const branches = schema.anyOf ?? schema.oneOf
  if (branches !== undefined) return fc.oneof(...branches.map(again))
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type: string) => again({ ...schema, type })))
  switch (schema.type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return toInteger(schema)
    case 'number':
      return toNumber(schema)
    case 'string':
      return toText(schema)
    case 'array':
      return toList(schema, again)
    case 'object':
      return toObject(schema, withOptional)
    case undefined:
      return anything
    default:
      throw new Error(`a schema of type ${String(schema.type)}`)
  }
}

/** Small numbers, which have a meaning, and numbers at the limits. */
function toInteger({ minimum = -(2 ** 53) + 1, maximum = 2 ** 53 - 1 }: BodySchema): fc.Arbitrary<number> {
  const small = { min: Math.max(minimum, -2), max: Math.min(maximum, 9) }
  const borders = fc.constantFrom(minimum, maximum)
  return small.min > small.max
    ? borders
    : fc.oneof({ weight: 9, arbitrary: fc.integer(small) }, { weight: 1, arbitrary: borders })
}

function toNumber({ minimum = -1e308, maximum = 1e308 }: BodySchema): fc.Arbitrary<number> {
  const small = { min: Math.max(minimum, -2), max: Math.min(maximum, 2), noNaN: true }
  return fc.oneof(
    { weight: 9, arbitrary: fc.double(small) },
    { weight: 1, arbitrary: fc.constantFrom(minimum, maximum) },
  )
}

function toText({ pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY }: BodySchema): fc.Arbitrary<string> {
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern))
  return text.map((each) => (each.length < minLength ? each.padEnd(minLength, 'x') : each.slice(0, maxLength)))
}

function toList(
  { items = {}, minItems = 0, maxItems = 4 }: BodySchema,
  again: (part: BodySchema) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown[]> {
  return fc.array(again(items), { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, 4)) })
}

function toObject(
  { properties = {}, required = [], additionalProperties, propertyNames }: BodySchema,
  withOptional: boolean,
): fc.Arbitrary<object> {
  const keys = Object.keys(properties).filter((key) => withOptional || required.includes(key))
  const model = Object.fromEntries(keys.map((key) => [key, toArbitrary(properties[key] ?? {}, withOptional)]))
  const optional = keys.filter((key) => !required.includes(key))
  // Only a few of many optional keys, because otherwise each body would have one that its model refuses.
  const left = fc.shuffledSubarray(optional, { maxLength: Math.min(optional.length, 4) })
  const known = left.chain((some) => {
    const chosen = keys.filter((key) => required.includes(key) || some.includes(key))
    return fc.record(Object.fromEntries(chosen.map((key) => [key, model[key] ?? anything])))
  })
  if (!withOptional || additionalProperties === undefined || additionalProperties === false) return known
  const value = additionalProperties === true ? anything : toArbitrary(additionalProperties, withOptional)
  const name = propertyNames === undefined ? text : toArbitrary(propertyNames, withOptional).map(String)
  const others = fc.dictionary(name, value, { maxKeys: keys.length === 0 ? 3 : 1 })
  return fc.tuple(others, known).map(([extra, body]) => ({ ...extra, ...body }))
}
