import { raise } from './errors.ts'
import type { Integer } from './numbers/integer.ts'
import { typeName } from './values/type-name.ts'
import { isText, toPlainText, type Value } from './values/value.ts'

/** The integer in an argument; booleans are integers, floats are not. @throws TypeError */
export function toIndex(value: Value): Integer {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'number' || typeof value === 'bigint') return value
  return raise('TypeError', `'${typeName(value)}' object cannot be interpreted as an integer`)
}

/** Like {@link toIndex}, for counts and positions: a value too big for a number becomes the biggest one. */
export function toCount(value: Value): number {
  const index = toIndex(value)
  if (typeof index === 'number') return index
  return index < 0n ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER
}

/** The text in an argument. @throws TypeError */
export function toTextArgument(value: Value): string {
  if (isText(value)) return toPlainText(value)
  return raise('TypeError', `expected str, got ${typeName(value)}`)
}

/** The text in an argument that may be `none` or absent. @throws TypeError */
export function toOptionalText(value: Value | undefined): string | undefined {
  return value === undefined || value === null ? undefined : toTextArgument(value)
}
