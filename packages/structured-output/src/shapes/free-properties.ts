import { choice, type Expression, literal, rule, sequence } from '../gbnf/expression.ts'
import { toStringPattern } from '../patterns/string-pattern.ts'
import type { Alternative } from '../schema/expand-alternatives.ts'
import { readKeyword, readSchema, readSchemaMap, refuse } from '../schema/keywords.ts'
import type { SchemaPlace } from '../schema/schema-document.ts'
import { freeKey } from './free-key.ts'
import type { RuleMaker } from './rule-maker.ts'

/** Properties whose names a schema does not list. */
export interface FreeProperties {
  /** Name, colon and value of one of them. */
  readonly pair: Expression
}

/**
 * The properties beside the listed ones; undefined where the grammar writes none. It writes none for a schema that
 * lists properties and is silent about others.
 */
export function freeProperties(
  places: Alternative,
  names: readonly string[],
  rules: RuleMaker,
): FreeProperties | undefined {
  const patterned = places.flatMap((place) =>
    readSchemaMap(place, 'patternProperties').map(([pattern, schema]) => ({ place, pattern, schema })),
  )
  if (patterned.length > 0) return patternedProperties(places, { patterned, names, rules })
  const rests = places.map((place) => readSchema(place, 'additionalProperties')).filter((rest) => rest !== undefined)
  const isListing = names.length > 0 || places.some((place) => readKeyword(place, 'properties') !== undefined)
  const isBounded = places.some((place) => readKeyword(place, 'unevaluatedProperties') !== undefined)
  if (rests.length === 0 && (isListing || isBounded)) return undefined
  const key = freeName(places, names, rules)
  return key === undefined ? undefined : { pair: pair(key, rules.ruleFor(rests)) }
}

function pair(key: Expression, value: Expression): Expression {
  return sequence(key, literal(':'), rule('space'), value)
}

/** A name by `propertyNames`, which cannot also exclude listed ones, or any name but the listed ones. */
function freeName(places: Alternative, names: readonly string[], rules: RuleMaker): Expression | undefined {
  const schemas = places.map((place) => readSchema(place, 'propertyNames')).filter((schema) => schema !== undefined)
  if (schemas.length === 0) return names.length === 0 ? rule('string') : rules.addRule('key', freeKey(names))
  return names.length > 0 ? undefined : rules.ruleForText(schemas)
}

interface Patterned {
  readonly place: SchemaPlace
  readonly pattern: string
  readonly schema: SchemaPlace
}

/** Properties by pattern. A pattern that matches a listed name is left out: it could spell that name again. */
function patternedProperties(
  places: Alternative,
  {
    patterned,
    names,
    rules,
  }: { readonly patterned: readonly Patterned[]; readonly names: readonly string[]; readonly rules: RuleMaker },
): FreeProperties | undefined {
  const pairs: Expression[] = []
  for (const { place, pattern, schema } of patterned) {
    const key = toStringPattern(pattern, { min: 0, max: Infinity })
    if (key === undefined) {
      throw refuse(place, 'patternProperties', `the pattern ${JSON.stringify(pattern)} cannot be held while generating`)
    }
    if (names.some((name) => rules.matches(pattern, name))) continue
    rules.spend(key.cost)
    const others = places
      .filter((other) => readKeyword(other, 'patternProperties') === undefined)
      .map((other) => readSchema(other, 'additionalProperties'))
      .filter((rest) => rest !== undefined)
    pairs.push(pair(sequence(literal('"'), key.expression, literal('"')), rules.ruleFor([schema, ...others])))
  }
  return pairs.length === 0 ? undefined : { pair: choice(...pairs) }
}
