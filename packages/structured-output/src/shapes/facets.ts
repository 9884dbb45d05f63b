import { type NumberBound, readBounds } from '../check/check-value.ts'
import type { Evaluation } from '../check/evaluation.ts'
import type { Alternative } from '../schema/expand-alternatives.ts'
import { KINDS, type Kind, readCount, readKeyword, readKinds, readNumber } from '../schema/keywords.ts'
import type { SchemaPlace } from '../schema/schema-document.ts'

/** The constraints of a number. */
export interface NumberFacets {
  readonly min: NumberBound | undefined
  readonly max: NumberBound | undefined
  readonly multiples: readonly number[]
}

/** The bounds of several places as one. */
export function uniteNumberFacets(places: Alternative): NumberFacets {
  let [min, max]: [NumberBound | undefined, NumberBound | undefined] = [undefined, undefined]
  for (const place of places) {
    const found = readBounds(place)
    if (found.min !== undefined && isTighter(found.min, min, 1)) min = found.min
    if (found.max !== undefined && isTighter(found.max, max, -1)) max = found.max
  }
  const multiples = places.map((place) => readNumber(place, 'multipleOf')).filter((step) => step !== undefined)
  return { min, max, multiples: [...new Set(multiples)] }
}

function isTighter(found: NumberBound, known: NumberBound | undefined, direction: 1 | -1): boolean {
  if (known === undefined) return true
  const difference = (found.value - known.value) * direction
  return difference > 0 || (difference === 0 && found.isOpen)
}

/** The tightest of the counts of several places: `minItems` and the like, and the `max` of each. */
export function countRange(
  places: Alternative,
  min: string,
  max: string,
): { readonly min: number; readonly max: number } {
  const found = (name: string): number[] =>
    places.map((place) => readCount(place, name)).filter((one) => one !== undefined)
  return { min: Math.max(0, ...found(min)), max: Math.min(Infinity, ...found(max)) }
}

const KEYWORDS_OF_KIND: readonly (readonly [readonly Kind[], readonly string[]])[] = [
  [
    ['integer', 'fraction'],
    ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ],
  [['string'], ['minLength', 'maxLength', 'pattern', 'format']],
  [['array'], ['items', 'prefixItems', 'additionalItems', 'minItems', 'maxItems', 'uniqueItems', 'contains']],
  [
    ['object'],
    [
      'properties',
      'required',
      'additionalProperties',
      'patternProperties',
      'propertyNames',
      'minProperties',
      'maxProperties',
      'dependentRequired',
      'dependentSchemas',
    ],
  ],
]

/**
 * The kinds of value that several places allow together. Where no place names a type, the keywords decide: a schema
 * that lists properties describes an object.
 */
export function findAllowedKinds(places: Alternative): ReadonlySet<Kind> {
  const named = places.map(readKinds).filter((kinds) => kinds !== undefined)
  if (named.length > 0) return new Set(KINDS.filter((kind) => named.every((kinds) => kinds.has(kind))))
  const meant = KEYWORDS_OF_KIND.filter(([, names]) =>
    places.some((place) => names.some((name) => readKeyword(place, name) !== undefined)),
  ).flatMap(([kinds]) => kinds)
  return new Set(meant.length > 0 ? meant : KINDS)
}

/** The values that some places list and that satisfy all of them; undefined where no place lists values. */
export function findListedValues(places: Alternative, evaluation: Evaluation): readonly unknown[] | undefined {
  const lists = places.map(readValues).filter((values) => values !== undefined)
  const [shortest] = lists.toSorted((a, b) => a.length - b.length)
  return shortest?.filter((value) => places.every((place) => evaluation.try(place, { value, pointer: '' }).isValid))
}

function readValues(place: SchemaPlace): readonly unknown[] | undefined {
  const constant = readKeyword(place, 'const')
  if (constant !== undefined) return [constant]
  const values = readKeyword(place, 'enum')
  return Array.isArray(values) ? values : undefined
}
