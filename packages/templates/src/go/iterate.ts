import { fail, GoTemplateLimitError } from './errors.ts'
import { GoInteger, GoMap, GoSlice, type GoValue, goInt, toTypeName } from './values.ts'

/** Bounds of one `range`. */
export interface RangeOptions {
  /** Number of declared variables; a range over a number allows one. */
  readonly variables: number
  /** Most rounds over a number. */
  readonly maxRounds: number
}

/**
 * Iterates over the value of a `range`: items with their index, entries in the order of their keys, or the numbers
 * below one.
 */
export function* rangeItems(
  value: GoValue,
  { variables, maxRounds }: RangeOptions,
): Generator<[index: GoValue, item: GoValue], void, void> {
  if (value === undefined) return
  if (value instanceof GoSlice) {
    for (const [index, item] of value.items.entries()) yield [goInt(index), item]
  } else if (value instanceof GoMap) {
    for (const key of value.sortedKeys()) yield [key, value.entries.get(key)]
  } else if (value instanceof GoInteger) {
    if (variables > 1) fail("can't iterate over a number with more than one variable")
    if (value.value > BigInt(maxRounds)) throw new GoTemplateLimitError('maxListLength', maxRounds)
    for (let item = 0n; item < value.value; item++) yield [undefined, new GoInteger(value.type, item)]
  } else {
    fail(`range can't iterate over ${toTypeName(value)}`)
  }
}
