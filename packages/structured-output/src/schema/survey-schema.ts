import { readBounds } from '../check/check-value.ts'
import { MAX_PATTERNS, MAX_POINTER_TEXT, MAX_SCHEMA_NESTING } from '../limits.ts'
import { compilePattern, type TextTest } from '../patterns/compile-pattern.ts'
import { refuseSchema, SchemaRefusal } from '../schema-refusal.ts'
import { readElementSchemas } from './array-keywords.ts'
import {
  readCount,
  readKeyword,
  readKinds,
  readMap,
  readNames,
  readNumber,
  readSchema,
  readSchemaMap,
  readSchemas,
  readText,
  refuse,
} from './keywords.ts'
import { followReference, type SchemaPlace, toChildPlace } from './schema-document.ts'

const COUNTS = [
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'minContains',
  'maxContains',
]
const INNER = [
  'additionalProperties',
  'propertyNames',
  'unevaluatedProperties',
  'unevaluatedItems',
  'contains',
  'not',
  'if',
  'then',
  'else',
]
const UNKNOWN_REFERENCES = ['$dynamicRef', '$recursiveRef']

/** Leaves the place of a refusal out of its schema. Returns false if the refusal must remain. */
export type Repair = (refusal: SchemaRefusal) => boolean

/** Options of {@link surveySchema}. */
export interface SurveyOptions {
  /** Takes the compiled patterns by their source; several schemas may share one. @default a new one */
  readonly patterns?: Map<string, TextTest> | undefined
  /** @default every refusal remains */
  readonly repair?: Repair | undefined
}

/**
 * Checks every relevant keyword of a schema before the compilation relies on it.
 *
 * @returns the compiled patterns @throws `invalid_request` naming the keyword that is wrong or unsupported
 */
export function surveySchema(
  root: SchemaPlace,
  { patterns = new Map(), repair = () => false }: SurveyOptions = {},
): Map<string, TextTest> {
  const seen = new Set<string>([root.pointer])
  let level = [root]
  let pointers = 0
  for (let nesting = 1; level.length > 0; nesting += 1) {
    if (nesting > MAX_SCHEMA_NESTING) {
      for (const place of level) repairOrThrow(refuseNesting(place), repair)
      break
    }
    const next: SchemaPlace[] = []
    for (const place of level) {
      for (const inner of readRepaired(place, patterns, repair)) {
        pointers += inner.pointer.length
        if (pointers > MAX_POINTER_TEXT) {
          throw refuseSchema(root.document.origin, '', 'its names are too long for how deep they stand')
        }
        if (seen.has(inner.pointer)) continue
        seen.add(inner.pointer)
        next.push(inner)
      }
    }
    level = next
  }
  return patterns
}

function refuseNesting({ document, pointer }: SchemaPlace): SchemaRefusal {
  return refuseSchema(document.origin, pointer, `schemas are nested deeper than ${MAX_SCHEMA_NESTING}`)
}

/** Reads the keywords of a place, once more after each repair. */
function readRepaired(place: SchemaPlace, patterns: Map<string, TextTest>, repair: Repair): readonly SchemaPlace[] {
  if (typeof place.schema === 'boolean') return []
  for (;;) {
    try {
      return readKeywords(place, patterns)
    } catch (error) {
      repairOrThrow(error, repair)
    }
  }
}

function repairOrThrow(error: unknown, repair: Repair): void {
  if (!(error instanceof SchemaRefusal) || !repair(error)) throw error
}

function readKeywords(place: SchemaPlace, patterns: Map<string, TextTest>): readonly SchemaPlace[] {
  for (const name of UNKNOWN_REFERENCES) {
    if (readKeyword(place, name) !== undefined) throw refuse(place, name, 'is not supported, use $ref')
  }
  readKinds(place)
  readBounds(place)
  for (const name of COUNTS) readCount(place, name)
  readNames(place, 'required')
  readText(place, 'format')
  readEnum(place)
  const step = readNumber(place, 'multipleOf')
  if (step !== undefined && step <= 0) throw refuse(place, 'multipleOf', 'must be more than 0')
  const pattern = readText(place, 'pattern')
  if (pattern !== undefined) compile(place, ['pattern', pattern], patterns)
  for (const [source] of readSchemaMap(place, 'patternProperties'))
    compile(place, ['patternProperties', source], patterns)
  return innerSchemas(place)
}

function readEnum(place: SchemaPlace): void {
  const values = readKeyword(place, 'enum')
  if (values !== undefined && (!Array.isArray(values) || values.length === 0)) {
    throw refuse(place, 'enum', 'must be a list of values, at least one')
  }
}

function compile(place: SchemaPlace, [name, source]: readonly [string, string], patterns: Map<string, TextTest>): void {
  if (patterns.has(source)) return
  const compiled = compilePattern(source)
  if (patterns.size >= MAX_PATTERNS) throw refuse(place, name, `there are more than ${MAX_PATTERNS} different patterns`)
  if (typeof compiled === 'string') throw refuse(place, name, `the regular expression ${compiled}`)
  patterns.set(source, compiled)
}

function innerSchemas(place: SchemaPlace): SchemaPlace[] {
  const { prefix, rest } = readElementSchemas(place)
  const reference = readText(place, '$ref')
  const maps = ['properties', 'patternProperties', 'dependentSchemas'].flatMap((name) => readSchemaMap(place, name))
  const dependencies = Object.entries(readMap(place, 'dependencies')).filter(([, value]) => !Array.isArray(value))
  return [
    ...(reference === undefined ? [] : [followReference(place, reference)]),
    ...['allOf', 'anyOf', 'oneOf'].flatMap((name) => readSchemas(place, name)),
    ...INNER.map((name) => readSchema(place, name)).filter((inner) => inner !== undefined),
    ...prefix,
    ...(rest === undefined ? [] : [rest]),
    ...maps.map(([, inner]) => inner),
    ...dependencies.map(([key]) => toChildPlace(place, 'dependencies', key)),
  ]
}
