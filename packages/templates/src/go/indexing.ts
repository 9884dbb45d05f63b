import { fail } from './errors.ts'
import { createZero, GoInteger, GoMap, GoPointer, GoSlice, type GoValue, indirect, toTypeName } from './values.ts'

/** `index x 1 "a"` is `x[1]["a"]`; a missing map key gives the zero value of the map's elements. */
export function indexInto(item: GoValue, indexes: readonly GoValue[]): GoValue {
  if (item === undefined || item === null) fail('index of untyped nil')
  return indexes.reduce(indexOnce, item)
}

function indexOnce(item: GoValue, index: GoValue): GoValue {
  const value = indirect(item)
  if (value === undefined || value === null || value instanceof GoPointer) return fail('index of nil pointer')
  if (value instanceof GoMap) {
    if (index === undefined || index === null) return fail('value is nil; should be of type string')
    if (typeof index !== 'string') return fail(`value has type ${toTypeName(index)}; should be string`)
    return value.entries.has(index) ? value.entries.get(index) : createZero(value.element)
  }
  if (value instanceof GoSlice) return value.items[position(index, value.items.length)]
  if (typeof value === 'string') {
    return new GoInteger('uint8', BigInt(value.charCodeAt(position(index, value.length))))
  }
  return fail(`can't index item of type ${toTypeName(value)}`)
}

function position(index: GoValue, length: number): number {
  if (index === undefined || index === null) return fail('cannot index slice/array with nil')
  if (!(index instanceof GoInteger)) return fail(`cannot index slice/array with type ${toTypeName(index)}`)
  if (index.value < 0n || index.value >= BigInt(length)) return fail(`index out of range: ${index.value}`)
  return Number(index.value)
}

/** `len`: bytes of a string, items of a list, keys of a map. */
export function measureLength(item: GoValue): number {
  const value = indirect(item)
  if (typeof value === 'string') return value.length
  if (value instanceof GoSlice) return value.items.length
  if (value instanceof GoMap) return value.entries.size
  return fail(value instanceof GoPointer || value === null ? 'len of nil pointer' : `len of type ${toTypeName(value)}`)
}
