import { readElementSchemas } from '../schema/array-keywords.ts'
import { isObject } from '../schema/json.ts'
import { readCount, readKeyword, readSchema } from '../schema/keywords.ts'
import type { SchemaPlace } from '../schema/schema-document.ts'
import type { Evaluator, Verdict } from './verdict.ts'

interface Context {
  readonly verdict: Verdict
  readonly evaluation: Evaluator
}

interface ArraySubject {
  readonly value: readonly unknown[]
  readonly pointer: string
}

/** Checks an array against the keywords for arrays. */
export function checkArray(place: SchemaPlace, subject: ArraySubject, context: Context): void {
  const { value } = subject
  const { verdict } = context
  const [min, max] = [readCount(place, 'minItems'), readCount(place, 'maxItems')]
  if (min !== undefined && value.length < min) verdict.fail(`must have at least ${min} elements`)
  if (max !== undefined && value.length > max) verdict.fail(`must have at most ${max} elements`)
  if (readKeyword(place, 'uniqueItems') === true && new Set(value.map(toKey)).size < value.length) {
    verdict.fail('must have no element twice')
  }
  checkElements(place, subject, context)
  checkContained(place, subject, context)
  const rest = readSchema(place, 'unevaluatedItems')
  if (rest === undefined) return
  for (let index = verdict.items; index < value.length; index += 1) applyAt(rest, subject, { index, context })
  verdict.items = Infinity
}

function checkElements(place: SchemaPlace, subject: ArraySubject, context: Context): void {
  const { prefix, rest } = readElementSchemas(place)
  const { verdict } = context
  for (const [index, schema] of prefix.entries()) {
    if (index < subject.value.length) applyAt(schema, subject, { index, context })
  }
  verdict.items = Math.max(verdict.items, Math.min(prefix.length, subject.value.length))
  if (rest === undefined) return
  for (let index = prefix.length; index < subject.value.length; index += 1) applyAt(rest, subject, { index, context })
  verdict.items = Infinity
}

function applyAt(
  schema: SchemaPlace,
  { value, pointer }: ArraySubject,
  { index, context }: { readonly index: number; readonly context: Context },
): void {
  const result = context.evaluation.apply(schema, { value: value[index], pointer: `${pointer}/${index}` })
  if (!result.isValid) context.verdict.merge({ isValid: false, keys: new Set(), items: 0 })
}

function checkContained(place: SchemaPlace, { value, pointer }: ArraySubject, { verdict, evaluation }: Context): void {
  const wanted = readSchema(place, 'contains')
  if (wanted === undefined) return
  const found = value.filter(
    (item, index) => evaluation.try(wanted, { value: item, pointer: `${pointer}/${index}` }).isValid,
  )
  const min = readCount(place, 'minContains') ?? 1
  const max = readCount(place, 'maxContains') ?? Infinity
  if (found.length < min) verdict.fail(`must have at least ${min} elements that match \`contains\``)
  if (found.length > max) verdict.fail(`must have at most ${max} elements that match \`contains\``)
  if (found.length === value.length) verdict.items = Infinity
}

/** A text that is the same for equal values. */
function toKey(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner)
      ? {
          members: Object.keys(inner)
            .toSorted()
            .map((key) => [key, inner[key]]),
        }
      : inner,
  )
}
