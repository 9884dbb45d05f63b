import { fail } from './errors.ts'
import { GoMap, GoPointer, GoStruct, type GoValue, indirect, toTypeName } from './values.ts'

/**
 * Reads `.name` of a value: a struct's field, a map's entry, through pointers. A missing key gives no value, and so
 * does any name of no value. A name that the struct lacks, or a name of nil or a scalar, is an error.
 */
export function readField(receiver: GoValue, name: string): GoValue {
  if (receiver === undefined) return undefined
  const value = indirect(receiver)
  if (value instanceof GoMap) return value.entries.get(name)
  if (value instanceof GoStruct) {
    const at = value.type.fields.findIndex((field) => field.name === name)
    if (at >= 0) return value.values[at]
  }
  if (value === null || value instanceof GoPointer)
    return fail(`nil pointer evaluating ${toTypeName(receiver)}.${name}`)
  return fail(`can't evaluate field ${name} in type ${toTypeName(value)}`)
}
