import { toEntries } from './conversation.ts'

/** Levels of schemas inside schemas; deeper ones are left out. */
const MAX_DEPTH = 32

/**
 * Declarations whose schemas have only parts that every template can read: one type and a description at every place.
 * Some templates translate schemas by hand and fail on anything else.
 */
export function simplifyTools(tools: readonly unknown[]): readonly unknown[] {
  return tools.map((tool) => {
    const entries = toEntries(tool)
    const declared = toEntries(entries?.get('function'))
    if (entries === undefined || declared === undefined) return tool
    const parameters = simplify(declared.get('parameters'), 0)
    return new Map(entries).set('function', new Map(declared).set('parameters', parameters))
  })
}

function simplify(schema: unknown, depth: number): ReadonlyMap<string, unknown> {
  const entries = toEntries(schema) ?? new Map<string, unknown>()
  const type = findType(entries)
  const simple = new Map(entries).set('type', type)
  if (typeof simple.get('description') !== 'string') simple.set('description', '')
  const inner = (part: unknown): ReadonlyMap<string, unknown> =>
    depth < MAX_DEPTH ? simplify(part, depth + 1) : new Map([['type', 'string']])
  if (type === 'array') simple.set('items', inner(entries.get('items')))
  if (type === 'object') {
    const properties = toEntries(entries.get('properties')) ?? new Map<string, unknown>()
    simple.set('properties', new Map(Array.from(properties, ([name, part]) => [name, inner(part)])))
    simple.set('additionalProperties', inner(entries.get('additionalProperties')))
  }
  return simple
}

/** The first type of a schema that is not null. */
function findType(schema: ReadonlyMap<string, unknown>): string {
  const type = schema.get('type')
  const named = (Array.isArray(type) ? type : [type]).find((name) => typeof name === 'string' && name !== 'null')
  if (typeof named === 'string') return named
  if (schema.has('properties')) return 'object'
  if (schema.has('items')) return 'array'
  const choices = schema.get('anyOf') ?? schema.get('oneOf')
  const types = Array.isArray(choices) ? choices.map((choice) => toEntries(choice)?.get('type')) : []
  const chosen: unknown = types.find((name) => typeof name === 'string' && name !== 'null')
  return typeof chosen === 'string' ? chosen : 'string'
}
