import { isMap, isScalar, isSeq, type Node, type Pair } from 'yaml'
import { isRecord } from '../../lib/api-error.ts'
import type { ModelDocument } from './model-text.ts'
import type { Problem } from './problem.ts'

/** A part of a JSON Schema of draft 7. The server's schema uses these words. */
export interface Schema {
  readonly type?: readonly string[]
  readonly enum?: readonly unknown[]
  readonly pattern?: RegExp
  readonly minimum?: number
  readonly maximum?: number
  readonly properties?: ReadonlyMap<string, Schema>
  readonly items?: Schema
  readonly additionalProperties?: Schema
  readonly description?: string
}

/** Reads a JSON Schema; words that this check does not know are passed over. `#` means the whole schema. */
export function readSchema(value: unknown): Schema {
  if (!isRecord(value)) return {}
  const { type, enum: words, pattern, minimum, maximum, properties, items, additionalProperties, description } = value
  return {
    ...(typeof type === 'string' && { type: [type] }),
    ...(Array.isArray(type) && { type: type.filter((one) => typeof one === 'string') }),
    ...(Array.isArray(words) && { enum: words }),
    ...(typeof pattern === 'string' && { pattern: new RegExp(pattern) }),
    ...(typeof minimum === 'number' && { minimum }),
    ...(typeof maximum === 'number' && { maximum }),
    ...(isRecord(properties) && {
      properties: new Map(Object.entries(properties).map(([key, schema]) => [key, readSchema(schema)])),
    }),
    ...(isRecord(items) && items.$ref === undefined && { items: readSchema(items) }),
    ...(isRecord(additionalProperties) && { additionalProperties: readSchema(additionalProperties) }),
    ...(typeof description === 'string' && { description }),
  }
}

/** Checks a model file against the schema of the server. Unknown keys are warnings: the server passes them over. */
export function checkSchema(model: ModelDocument, schema: Schema): readonly Problem[] {
  const { contents } = model.document
  if (contents === null) return []
  const problems: Problem[] = []
  walk(contents, schema, { path: [], model, problems })
  return problems
}

interface Place {
  readonly path: readonly (string | number)[]
  readonly model: ModelDocument
  readonly problems: Problem[]
}

function report(
  node: Node | null | undefined,
  place: Place,
  fault: Pick<Problem, 'severity' | 'code'> & { readonly values?: Readonly<Record<string, string>> },
): void {
  const [from = 0, to = from] = node?.range ?? []
  const { line } = place.model.lines.linePos(from)
  place.problems.push({ layer: 'schema', ...fault, path: place.path.join('.'), from, to, line })
}

/** The name of a value's type, as JSON Schema has it. */
function findType(node: Node): string {
  if (isMap(node)) return 'object'
  if (isSeq(node)) return 'array'
  const value = isScalar(node) ? node.value : undefined
  if (value === null) return 'null'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

function hasType(node: Node, allowed: readonly string[]): boolean {
  const found = findType(node)
  // anchors point at values that are checked at their own place
  if (found === 'undefined') return true
  return allowed.includes(found) || (found === 'integer' && allowed.includes('number'))
}

function walk(node: Node, schema: Schema, place: Place): void {
  const { type, properties, items, additionalProperties } = schema
  if (type !== undefined && !hasType(node, type)) {
    const expected = type.filter((one) => one !== 'null').join(', ')
    report(node, place, { severity: 'error', code: 'type', values: { expected, found: findType(node) } })
    return
  }
  if (isScalar(node)) checkScalar(node.value, node, schema, place)
  if (isSeq(node) && items !== undefined) {
    node.items.forEach((item, index) => {
      if (isNode(item)) walk(item, items, { ...place, path: [...place.path, index] })
    })
  }
  if (!isMap(node) || (properties === undefined && additionalProperties === undefined)) return
  for (const pair of node.items) walkPair(pair, schema, place)
}

function walkPair(
  { key, value }: Pair,
  { properties, additionalProperties }: Pick<Schema, 'properties' | 'additionalProperties'>,
  place: Place,
): void {
  if (!isScalar(key)) return
  const name = String(key.value)
  const inside = { ...place, path: [...place.path, name] }
  const schema = properties?.get(name) ?? additionalProperties
  // `<<` takes in the keys of an anchor
  if (schema === undefined && name !== '<<')
    report(key, inside, { severity: 'warning', code: 'unknownKey', values: { key: name } })
  if (schema !== undefined && isNode(value)) walk(value, schema, inside)
}

function checkScalar(value: unknown, node: Node, { enum: words, pattern, minimum, maximum }: Schema, place: Place) {
  const fail = (code: string, values: Readonly<Record<string, string>>) =>
    report(node, place, { severity: 'error', code, values })
  if (value === null) return
  if (words !== undefined && !words.includes(value))
    return fail('enum', { options: words.filter((word) => word !== null && word !== '').join(', ') })
  if (typeof value === 'string' && pattern?.test(value) === false) return fail('form', { value })
  if (typeof value !== 'number') return
  if (minimum !== undefined && value < minimum) return fail('minimum', { limit: String(minimum) })
  if (maximum !== undefined && value > maximum) fail('maximum', { limit: String(maximum) })
}

function isNode(value: unknown): value is Node {
  return isMap(value) || isSeq(value) || isScalar(value)
}
