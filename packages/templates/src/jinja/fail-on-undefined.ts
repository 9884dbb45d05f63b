import { raise } from './errors.ts'
import { Undefined, type Value } from './values/value.ts'

/** @throws UndefinedError for an undefined value, or SecurityError for a refused one */
export function failOnUndefined(value: Value): void {
  if (value instanceof Undefined) raise(value.refused ? 'SecurityError' : 'UndefinedError', value.reason)
}
