/** A JSON object from elsewhere: its members are unknown. */
export type Fields = Readonly<Record<string, unknown>>

/** Reads the members of an object; no members for anything else. */
export function toFields(value: unknown): Fields {
  return isFields(value) ? value : {}
}

/** Whether a value is a JSON object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reads the items of an array; no items for anything else. */
export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Reads a text; undefined for anything else. */
export function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Reads a finite number; undefined for anything else. */
export function toNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** Reads a count as upstreams send it: whole, not negative; undefined for anything else. */
export function toCount(value: unknown): number | undefined {
  const number = toNumber(value)
  return number !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

/** Parses JSON text; undefined for anything else. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Copies an object without members that are undefined or null. */
export function dropAbsent(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null))
}
