import { EMPTY, type Expression, literal, NEVER, optional, repeat, rule, sequence } from '../gbnf/expression.ts'
import { MAX_PREFIX_ITEMS, MAX_REPEAT } from '../limits.ts'
import { readElementSchemas } from '../schema/array-keywords.ts'
import type { Alternative } from '../schema/expand-alternatives.ts'
import { refuse } from '../schema/keywords.ts'
import type { SchemaPlace } from '../schema/schema-document.ts'
import { countRange } from './facets.ts'
import type { RuleMaker } from './rule-maker.ts'

const SPACE = rule('space')
const COMMA = sequence(literal(','), SPACE)

/** Arrays: their first elements one by one, the others by the schema for the rest. */
export function arrayShape(places: Alternative, rules: RuleMaker): Expression {
  const bounds = countRange(places, 'minItems', 'maxItems')
  if (bounds.min > bounds.max) return NEVER
  const schemas = places.map((place) => readElementSchemas(place))
  const count = Math.max(...schemas.map(({ prefix }) => prefix.length))
  refuseLarge(places, bounds.min, count)
  const at = (index: number): Expression =>
    rules.ruleFor(schemas.flatMap(({ prefix, rest }) => prefix[index] ?? rest ?? []))
  const first = Array.from({ length: Math.min(count, bounds.max) }, (_, index) => at(index))
  const others = bounds.max > count ? buildRest(schemas, { rules, bounds, count }) : EMPTY
  const elements = first.length === 0 ? others : inOrder(first, others, bounds.min)
  return sequence(literal('['), SPACE, elements, literal(']'))
}

interface RestContext {
  readonly rules: RuleMaker
  readonly bounds: { readonly min: number; readonly max: number }
  /** Elements that come before. */
  readonly count: number
}

/** Elements after the first ones; with a comma before them when there are any. */
function buildRest(
  schemas: readonly { readonly rest: SchemaPlace | undefined }[],
  { rules, bounds, count }: RestContext,
): Expression {
  // `prefixItems` by itself leaves further elements free; the grammar writes none.
  if (count > 0 && schemas.every(({ rest }) => rest === undefined)) return bounds.min > count ? NEVER : EMPTY
  const item = rules.ruleFor(schemas.flatMap(({ rest }) => rest ?? []))
  const min = Math.max(0, bounds.min - count)
  const max = bounds.max > MAX_REPEAT ? Infinity : bounds.max - count
  const further = sequence(COMMA, item)
  if (count > 0) return rules.counted(further, min, max)
  const all = sequence(item, rules.counted(further, Math.max(0, min - 1), max - 1), SPACE)
  return min === 0 ? optional(all) : all
}

/** Elements that each require the previous ones; elements beyond the minimum may be left out from the end. */
function inOrder(first: readonly Expression[], others: Expression, min: number): Expression {
  let tail = others
  for (const [index, item] of [...first.entries()].reverse()) {
    const separated = sequence(index === 0 ? EMPTY : COMMA, item, tail)
    const closed = index === 0 ? sequence(separated, SPACE) : separated
    tail = index < min ? closed : optional(closed)
  }
  return tail
}

function refuseLarge(places: Alternative, min: number, prefixLength: number): void {
  const [first] = places
  if (first === undefined) return
  const owner = places.find((place) => countRange([place], 'minItems', 'maxItems').min > MAX_REPEAT)
  if (min > MAX_REPEAT)
    throw refuse(owner ?? first, 'minItems', `more than ${MAX_REPEAT} cannot be held while generating`)
  if (prefixLength > MAX_PREFIX_ITEMS) throw refuse(first, 'prefixItems', `has more than ${MAX_PREFIX_ITEMS} elements`)
}

/** The rule of arrays of anything. */
export function arrayRules(): readonly (readonly [string, Expression])[] {
  const more = repeat(sequence(COMMA, rule('value')), 0, Infinity)
  return [['array', sequence(literal('['), SPACE, optional(sequence(rule('value'), more, SPACE)), literal(']'))]]
}
