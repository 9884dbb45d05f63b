import { formatDefault } from '../format/print.ts'
import type { CallContext } from '../function.ts'
import { GoMap, GoPointer, GoSlice, GoStruct, type GoValue, isTrue } from '../values.ts'

/** Converts a value to text as most of sprig does: `%v`, strings unchanged. */
export function stringValue({ budget }: CallContext, value: GoValue): string {
  return formatDefault(budget, value)
}

/** A value as a list of texts: its items that are not nil, or the value itself as the only text. */
export function stringValues(context: CallContext, value: GoValue): readonly string[] {
  if (value === undefined || value === null) return []
  if (!(value instanceof GoSlice)) return [stringValue(context, value)]
  const present = value.items.filter((item) => item !== null && item !== undefined)
  return present.map((item) => stringValue(context, item))
}

/** Whether `default` replaces a value: zero, "", false, nil, no items. Structs are never empty. */
export function isEmpty(value: GoValue): boolean {
  if (value instanceof GoStruct) return false
  if (value instanceof GoPointer) return value.target === undefined
  if (value instanceof GoMap) return value.entries.size === 0
  return !isTrue(value)
}
