/** A JSON object of somebody else: nothing is known of its members. */
export type Fields = Readonly<Record<string, unknown>>

/** The members of an object; none of anything else. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {}
}

/** Whether a value is a JSON object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The items of an array; none of anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A text; nothing of anything else. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** A finite number; nothing of anything else. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** A count as upstreams give it: whole, not negative; nothing of anything else. */
export function countOf(value: unknown): number | undefined {
  const number = numberOf(value)
  return number !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

/** The value of JSON text; nothing where it is none. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** An object without the members that are undefined or null. */
export function withoutNothing(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null))
}
