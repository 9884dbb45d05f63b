import * as z from 'zod'

/** Lists and maps of so few entries are checked once: what is wrong with all of them is soon said. */
const FEW = 16

/**
 * A list or a map of which the check ends at the first entry that is wrong. Without it a body of nothing but wrong entries
 * is told about each of them, which takes a second for a few megabytes.
 *
 * @example
 * const request = z.looseObject({ metadata: endAtFirstFault(z.record(z.string(), z.string())).nullish() })
 */
export function endAtFirstFault<S extends z.ZodArray | z.ZodRecord>(schema: S): z.ZodPreprocess<S> {
  const check = (value: unknown, { issues }: { issues: z.core.$ZodRawIssue[] }): unknown => {
    for (const [key, name, entry] of entriesOf(value, schema)) {
      const fault = faultOf(schema, name, entry)
      if (fault === undefined) continue
      issues.push({ ...fault, input: value, path: [key, ...fault.path] } as z.core.$ZodRawIssue)
      return z.NEVER
    }
    return value
  }
  return z.preprocess(check, schema)
}

/** The entries of a value that has many: where each stands, its name in a map, and what it is. */
function* entriesOf(value: unknown, schema: z.ZodType): Generator<[number | string, string | undefined, unknown]> {
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

function faultOf(
  schema: z.ZodArray | z.ZodRecord,
  name: string | undefined,
  entry: unknown,
): z.core.$ZodIssue | undefined {
  if (schema instanceof z.ZodArray) return firstIssue(schema.element, entry)
  // A map says of a wrong name that it is one, whatever is wrong with it.
  const isWrongName = firstIssue(schema.keyType, name) !== undefined
  if (isWrongName)
    return {
      code: 'invalid_key',
      origin: 'record',
      issues: [],
      path: [],
      message: 'Invalid key in record',
      input: name,
    }
  return firstIssue(schema.valueType, entry)
}

function firstIssue(schema: z.core.$ZodType, value: unknown): z.core.$ZodIssue | undefined {
  return z.safeParse(schema, value).error?.issues[0]
}
