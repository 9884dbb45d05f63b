import * as z from 'zod'
import { describeIssue } from './describe-issue.ts'

/** Lists and maps with this many entries or fewer are checked at once: the report of all their faults stays short. */
const FEW = 16

/**
 * Wraps a list or a map so that its check ends at the first wrong entry. Without it a body of wrong entries gets an
 * issue for each of them, which takes a second for a few megabytes.
 *
 * @example
 * const request = z.looseObject({ metadata: endAtFirstFault(z.record(z.string(), z.string())).nullish() })
 */
export function endAtFirstFault<S extends z.ZodArray | z.ZodRecord>(schema: S): z.ZodPreprocess<S> {
  const check = (value: unknown, { issues }: { issues: z.core.$ZodRawIssue[] }): unknown => {
    for (const [key, name, entry] of listEntries(value, schema)) {
      const fault = findFault(schema, name, entry)
      if (fault === undefined) continue
      issues.push({ ...fault, input: value, path: [key, ...fault.path] } as z.core.$ZodRawIssue)
      return z.NEVER
    }
    return value
  }
  return z.preprocess(check, schema)
}

/** Iterates over the entries of a large value: path, name in a map, value. */
function* listEntries(value: unknown, schema: z.ZodType): Generator<[number | string, string | undefined, unknown]> {
  if (schema instanceof z.ZodArray) {
    if (!Array.isArray(value) || value.length <= FEW) return
    for (const [index, entry] of value.entries()) yield [index, undefined, entry]
    return
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  const names = Object.keys(value)
  if (names.length <= FEW) return
  for (const name of names) yield [name, name, (value as Record<string, unknown>)[name]]
}

function findFault(
  schema: z.ZodArray | z.ZodRecord,
  name: string | undefined,
  entry: unknown,
): z.core.$ZodIssue | undefined {
  if (schema instanceof z.ZodArray) return firstIssue(schema.element, entry)
  // A map reports a wrong name as such, before any fault of its value.
  const isWrongName = firstIssue(schema.keyType, name) !== undefined
  if (isWrongName)
    return {
      code: 'invalid_key',
      origin: 'record',
      issues: [],
      path: [],
      message: 'has a key that is not allowed',
      input: name,
    }
  return firstIssue(schema.valueType, entry)
}

function firstIssue(schema: z.core.$ZodType, value: unknown): z.core.$ZodIssue | undefined {
  return z.safeParse(schema, value, { error: describeIssue }).error?.issues[0]
}
