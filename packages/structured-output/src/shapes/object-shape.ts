import { choice, type Expression, literal, NEVER, optional, repeat, rule, sequence } from '../gbnf/expression.ts'
import type { Alternative } from '../schema/expand-alternatives.ts'
import { readMember } from '../schema/json.ts'
import { readKeyword, readMap, readNames, readSchema, readSchemaMap } from '../schema/keywords.ts'
import { type SchemaPlace, toChildPlace } from '../schema/schema-document.ts'
import { countRange } from './facets.ts'
import { freeProperties } from './free-properties.ts'
import type { RuleMaker } from './rule-maker.ts'

const SPACE = rule('space')
const COMMA = sequence(literal(','), SPACE)

interface Property {
  /** Name, colon and value. */
  readonly pair: Expression
  readonly isRequired: boolean
}

/**
 * Objects: the listed properties in their order, each optional one in a group of its own; then properties with other
 * names, where the schema asks for them (`additionalProperties`, `patternProperties`, or no list at all).
 */
export function objectShape(places: Alternative, rules: RuleMaker): Expression {
  const bounds = countRange(places, 'minProperties', 'maxProperties')
  const required = new Set(places.flatMap((place) => readNames(place, 'required')))
  const listed = places.flatMap((place) => readSchemaMap(place, 'properties').map(([name]) => name))
  const names = rules.inOrder([...new Set([...listed, ...required])])
  rules.spend(names.length + 1)
  if (bounds.min > bounds.max || required.size > bounds.max) return NEVER

  const free = freeProperties(places, names, rules)
  const properties = limitProperties(
    names.map((name) => ({ pair: pairFor(places, name, rules), isRequired: required.has(name) })),
    { bounds, hasFree: free !== undefined },
  )
  if (properties === undefined) return NEVER
  const missing = Math.max(0, bounds.min - properties.filter(({ isRequired }) => isRequired).length)
  const others: Others = {
    pair: free?.pair ?? NEVER,
    min: missing,
    max: free === undefined ? 0 : bounds.max - properties.length,
  }
  return sequence(literal('{'), SPACE, members(properties, others, rules), literal('}'))
}

function pairFor(places: Alternative, name: string, rules: RuleMaker): Expression {
  const accepted = places.every((place) => {
    const names = readSchema(place, 'propertyNames')
    return names === undefined || rules.acceptsName(names, name)
  })
  if (!accepted) return NEVER
  return pair(literal(JSON.stringify(name)), rules.ruleFor(places.flatMap((place) => schemasFor(place, name, rules))))
}

/** Name, colon and value. */
function pair(key: Expression, value: Expression): Expression {
  return sequence(key, literal(':'), SPACE, value)
}

/**
 * The schemas of one place for a property: its own and the schemas of matching patterns, or the schema of all others.
 */
function schemasFor(place: SchemaPlace, name: string, rules: RuleMaker): readonly SchemaPlace[] {
  const own =
    readMember(readMap(place, 'properties'), name) === undefined ? [] : [toChildPlace(place, 'properties', name)]
  const patterned = readSchemaMap(place, 'patternProperties').filter(([pattern]) => rules.matches(pattern, name))
  const found = [...own, ...patterned.map(([, schema]) => schema)]
  return found.length > 0 ? found : [readSchema(place, 'additionalProperties') ?? []].flat()
}

/**
 * Keeps the number of properties within bounds: drops surplus ones from the end, and requires missing ones from the
 * beginning. Undefined where there are not enough.
 */
function limitProperties(
  properties: readonly Property[],
  { bounds, hasFree }: { readonly bounds: { readonly min: number; readonly max: number }; readonly hasFree: boolean },
): readonly Property[] | undefined {
  const required = properties.filter(({ isRequired }) => isRequired).length
  let room = bounds.max - required
  const kept = properties.filter(({ isRequired }) => isRequired || room-- > 0)
  if (hasFree) return kept
  let missing = bounds.min - required
  if (kept.length < bounds.min) return undefined
  return kept.map((property) => (property.isRequired || missing-- <= 0 ? property : { ...property, isRequired: true }))
}

interface Others {
  readonly pair: Expression
  readonly min: number
  readonly max: number
}

function members(properties: readonly Property[], others: Others, rules: RuleMaker): Expression {
  const further = rules.counted(sequence(COMMA, others.pair), others.min, others.max)
  const leading = properties.findIndex(({ isRequired }) => isRequired)
  if (leading >= 0) {
    const before = properties.slice(0, leading).map((property) => optional(sequence(property.pair, COMMA)))
    const after = properties.slice(leading + 1).map(following)
    return sequence(...before, properties[leading]?.pair ?? NEVER, ...after, further, SPACE)
  }
  const first =
    others.max === 0
      ? NEVER
      : sequence(others.pair, rules.counted(sequence(COMMA, others.pair), Math.max(0, others.min - 1), others.max - 1))
  if (others.min > 0) {
    const before = properties.map((property) => optional(sequence(property.pair, COMMA)))
    return sequence(...before, first, SPACE)
  }
  return optional(sequence(choice(...startingAnywhere(properties, further, rules), first), SPACE))
}

function following({ pair: property, isRequired }: Property): Expression {
  const separated = sequence(COMMA, property)
  return isRequired ? separated : optional(separated)
}

/** All properties are optional: the first written one has no comma before it. */
function startingAnywhere(
  properties: readonly Property[],
  further: Expression,
  rules: RuleMaker,
): readonly Expression[] {
  let tail = further
  const starts: Expression[] = []
  for (const [index, property] of [...properties.entries()].reverse()) {
    starts.push(sequence(property.pair, tail))
    if (index > 0) tail = rules.addRule('more', sequence(following(property), tail))
  }
  return starts.reverse()
}

/** The rule of objects with any properties. */
export function objectRules(): readonly (readonly [string, Expression])[] {
  const free = pair(rule('string'), rule('value'))
  const more = repeat(sequence(COMMA, free), 0, Infinity)
  return [['object', sequence(literal('{'), SPACE, optional(sequence(free, more, SPACE)), literal('}'))]]
}

/** Whether no place has a keyword about the properties of an object. */
export function isFreeObject(places: Alternative): boolean {
  const keywords = [
    'properties',
    'patternProperties',
    'additionalProperties',
    'propertyNames',
    'required',
    'minProperties',
    'maxProperties',
    'unevaluatedProperties',
  ]
  return places.every((place) => keywords.every((name) => readKeyword(place, name) === undefined))
}
