import { fail } from './errors.ts'
import type { Budget } from './limits.ts'
import { sameType } from './types.ts'
import {
  compareBytes,
  findKind,
  GoComplex,
  GoInteger,
  GoMap,
  GoObject,
  GoPointer,
  GoSlice,
  GoStruct,
  type GoValue,
  isNil,
  toTypeName,
} from './values.ts'

/** Kinds that compare with each other. Integers of all types are one kind here; `other` has no order. */
type BasicKind = 'bool' | 'complex' | 'integer' | 'float' | 'string' | 'other'

function basicKind(value: GoValue): BasicKind {
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number') return 'float'
  if (typeof value === 'string') return 'string'
  if (value instanceof GoInteger) return 'integer'
  return value instanceof GoComplex ? 'complex' : 'other'
}

/** `eq`: whether the first equals any of the others. Different kinds are an error, nil excepted. */
export function equalsAny(first: GoValue, others: readonly GoValue[]): boolean {
  if (others.length === 0) fail('missing argument for comparison')
  return others.some((other) => equals(first, other))
}

function equals(left: GoValue, right: GoValue): boolean {
  const kind = basicKind(left)
  if (kind !== basicKind(right)) {
    if (isNothing(left) || isNothing(right)) return false
    return fail(`incompatible types for comparison: ${toTypeName(left)} and ${toTypeName(right)}`)
  }
  if (left instanceof GoInteger && right instanceof GoInteger) return left.value === right.value
  if (left instanceof GoComplex && right instanceof GoComplex) return sameComplex(left, right)
  return kind === 'other' ? sameReference(left, right) : left === right
}

function isNothing(value: GoValue): boolean {
  return value === undefined || value === null
}

function sameComplex(left: GoComplex, right: GoComplex): boolean {
  return left.real === right.real && left.imaginary === right.imaginary
}

/** Lists and maps cannot be compared, but with nil. */
function sameReference(left: GoValue, right: GoValue): boolean {
  if (!isNothing(left) && !isNothing(right) && findKind(left) !== findKind(right)) fail('non-comparable types')
  if (isNil(left) || isNil(right)) return isNil(left) && isNil(right)
  if (right instanceof GoSlice || right instanceof GoMap) fail(`non-comparable type ${toTypeName(right)}`)
  return sameInterface(left, right)
}

/** Go's `==` on interfaces: the same type and an equal value. */
function sameInterface(left: GoValue, right: GoValue): boolean {
  if (left instanceof GoObject && right instanceof GoObject) return left.equals(right, 'identity')
  if (left instanceof GoPointer && right instanceof GoPointer) return left === right || left.target === right.target
  if (left instanceof GoStruct && right instanceof GoStruct) {
    if (right.values.some((value) => value instanceof GoSlice || value instanceof GoMap)) {
      fail(`non-comparable type ${toTypeName(right)}`)
    }
    return left.type === right.type && left.values.every((value, at) => sameInterface(value, right.values[at]))
  }
  if (left instanceof GoInteger && right instanceof GoInteger) {
    return left.type === right.type && left.value === right.value
  }
  return left === right
}

/** `lt`. */
export function isLess(left: GoValue, right: GoValue): boolean {
  const kind = basicKind(left)
  const rightKind = basicKind(right)
  if (kind === 'other' || rightKind === 'other') fail('invalid type for comparison')
  if (kind !== rightKind) fail(`incompatible types for comparison: ${toTypeName(left)} and ${toTypeName(right)}`)
  if (left instanceof GoInteger && right instanceof GoInteger) return left.value < right.value
  if (typeof left === 'number' && typeof right === 'number') return left < right
  if (typeof left === 'string' && typeof right === 'string') return compareBytes(left, right) < 0
  return fail('invalid type for comparison')
}

/** `le`. */
export function isLessOrEqual(left: GoValue, right: GoValue): boolean {
  return isLess(left, right) || equals(left, right)
}

/** `reflect.DeepEqual`: the types must be the same too, so that `int` 1 and `int64` 1 differ. */
export function deepEqual(budget: Budget, left: GoValue, right: GoValue, depth = 0): boolean {
  budget.spend(1)
  budget.checkDepth(depth)
  if (isNothing(left) || isNothing(right)) return isNothing(left) && isNothing(right)
  if (left === right && left instanceof GoMap) return true
  if (left instanceof GoSlice && right instanceof GoSlice) {
    const same = sameType(left.element, right.element) && left.isNil === right.isNil
    return same && allEqual(budget, left.items, right.items, depth)
  }
  if (left instanceof GoMap && right instanceof GoMap) return sameEntries(budget, left, right, depth)
  if (left instanceof GoStruct && right instanceof GoStruct) {
    return left.type === right.type && allEqual(budget, left.values, right.values, depth)
  }
  if (left instanceof GoPointer && right instanceof GoPointer) {
    return sameType(left.type(), right.type()) && deepEqual(budget, left.target, right.target, depth + 1)
  }
  if (left instanceof GoComplex && right instanceof GoComplex) return sameComplex(left, right)
  if (left instanceof GoObject && right instanceof GoObject) return left.equals(right, 'content')
  return sameInterface(left, right)
}

function allEqual(budget: Budget, left: readonly GoValue[], right: readonly GoValue[], depth: number): boolean {
  return left.length === right.length && left.every((item, at) => deepEqual(budget, item, right[at], depth + 1))
}

function sameEntries(budget: Budget, left: GoMap, right: GoMap, depth: number): boolean {
  if (!sameType(left.element, right.element) || left.isNil !== right.isNil) return false
  if (left.entries.size !== right.entries.size) return false
  for (const [key, value] of left.entries) {
    if (!right.entries.has(key) || !deepEqual(budget, value, right.entries.get(key), depth + 1)) return false
  }
  return true
}
