import { type JsonObject, readMember, toPointer } from '../schema/json.ts'
import { readCount, readKeyword, readMap, readNames, readSchema, readSchemaMap } from '../schema/keywords.ts'
import { type SchemaPlace, toChildPlace } from '../schema/schema-document.ts'
import type { Evaluator, Verdict } from './verdict.ts'

interface Context {
  readonly verdict: Verdict
  readonly evaluation: Evaluator
}

interface ObjectSubject {
  readonly value: JsonObject
  readonly pointer: string
}

/** Checks an object against the keywords for objects. */
export function checkObject(place: SchemaPlace, subject: ObjectSubject, context: Context): void {
  const { value } = subject
  const { verdict } = context
  const keys = Object.keys(value)
  const [min, max] = [readCount(place, 'minProperties'), readCount(place, 'maxProperties')]
  if (min !== undefined && keys.length < min) verdict.fail(`must have at least ${min} properties`)
  if (max !== undefined && keys.length > max) verdict.fail(`must have at most ${max} properties`)
  for (const name of readNames(place, 'required')) {
    if (!Object.hasOwn(value, name)) verdict.fail(`must have the property ${JSON.stringify(name)}`)
  }
  checkProperties(place, subject, context)
  checkNames(place, subject, context)
  checkDependencies(place, subject, context)
  const rest = readSchema(place, 'unevaluatedProperties')
  if (rest === undefined) return
  for (const key of keys) if (!verdict.keys.has(key)) applyTo(rest, subject, { key, context })
  for (const key of keys) verdict.keys.add(key)
}

function checkProperties(place: SchemaPlace, subject: ObjectSubject, context: Context): void {
  const listed = readMap(place, 'properties')
  const patterns = readSchemaMap(place, 'patternProperties')
  const rest = readSchema(place, 'additionalProperties')
  if (readKeyword(place, 'properties') === undefined && patterns.length === 0 && rest === undefined) return
  for (const key of Object.keys(subject.value)) {
    const schemas = patterns.filter(([pattern]) => context.evaluation.matches(pattern, key)).map(([, schema]) => schema)
    if (readMember(listed, key) !== undefined) schemas.push(toChildPlace(place, 'properties', key))
    if (schemas.length === 0 && rest !== undefined) schemas.push(rest)
    for (const schema of schemas) applyTo(schema, subject, { key, context })
    if (schemas.length > 0) context.verdict.keys.add(key)
  }
}

function applyTo(
  schema: SchemaPlace,
  { value, pointer }: ObjectSubject,
  { key, context }: { readonly key: string; readonly context: Context },
): void {
  const result = context.evaluation.apply(schema, { value: readMember(value, key), pointer: pointer + toPointer(key) })
  if (!result.isValid) context.verdict.merge({ isValid: false, keys: new Set(), items: 0 })
}

function checkNames(place: SchemaPlace, { value, pointer }: ObjectSubject, { verdict, evaluation }: Context): void {
  const names = readSchema(place, 'propertyNames')
  if (names === undefined) return
  for (const key of Object.keys(value)) {
    if (!evaluation.try(names, { value: key, pointer }).isValid) {
      verdict.fail(`must not have a property named ${JSON.stringify(key)}`)
    }
  }
}

/** `dependentRequired`, `dependentSchemas`, and `dependencies`, the older keyword for both. */
function checkDependencies(place: SchemaPlace, subject: ObjectSubject, { verdict, evaluation }: Context): void {
  const isThere = (name: string): boolean => Object.hasOwn(subject.value, name)
  for (const name of ['dependentRequired', 'dependencies']) {
    for (const [key, wanted] of Object.entries(readMap(place, name))) {
      if (!isThere(key) || !Array.isArray(wanted)) continue
      const missing = wanted.filter((other) => typeof other === 'string' && !isThere(other))
      if (missing.length > 0) verdict.fail(`must have the dependencies of the property ${JSON.stringify(key)}`)
    }
  }
  for (const name of ['dependentSchemas', 'dependencies']) {
    for (const [key, wanted] of Object.entries(readMap(place, name))) {
      if (isThere(key) && !Array.isArray(wanted))
        verdict.merge(evaluation.apply(toChildPlace(place, name, key), subject))
    }
  }
}
