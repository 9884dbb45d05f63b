import type { GoType, IntegerType, StructLike } from './types.ts'
import { typeName } from './types.ts'

/**
 * A value inside a template. `undefined` means that there is no value (a missing map key prints `<no value>`), `null` a
 * nil interface. Strings are byte strings, numbers are `float64`; every other kind is a class of this module, so no
 * object of the caller's data can pass for one.
 */
export type GoValue =
  | undefined
  | null
  | boolean
  | string
  | number
  | GoInteger
  | GoComplex
  | GoSlice
  | GoMap
  | GoStruct
  | GoPointer
  | GoObject

/** The base of all composite values, which distinguishes them from plain data. */
export abstract class GoBoxed {
  abstract readonly kind: string
}

/** An integer of one of Go's integer types, always in the type's range. */
export class GoInteger extends GoBoxed {
  readonly kind = 'integer'
  readonly type: IntegerType
  readonly value: bigint

  constructor(type: IntegerType, value: bigint) {
    super()
    this.type = type
    this.value = wrap(type, value)
  }
}

/** A complex number; only literals such as `2i` make one. */
export class GoComplex extends GoBoxed {
  readonly kind = 'complex'
  readonly real: number
  readonly imaginary: number

  constructor(real: number, imaginary: number) {
    super()
    this.real = real
    this.imaginary = imaginary
  }
}

/** A slice. `isNil` only matters to JSON and comparisons; a nil slice has no items. */
export class GoSlice extends GoBoxed {
  readonly kind = 'slice'
  readonly element: GoType
  readonly isNil: boolean
  #items: readonly GoValue[]

  constructor(element: GoType, items: readonly GoValue[], isNil = false) {
    super()
    this.element = element
    this.#items = items
    this.isNil = isNil
  }

  get items(): readonly GoValue[] {
    return this.#items
  }

  /** Puts other items in the place of its own: all variables that hold the slice see them. */
  replaceItems(items: readonly GoValue[]): void {
    this.#items = items
  }
}

/** A map from strings. `set` and `merge` change it in place, as in Go. */
export class GoMap extends GoBoxed {
  readonly kind = 'map'
  readonly element: GoType
  readonly entries: Map<string, GoValue>
  readonly isNil: boolean

  constructor(element: GoType, entries: Map<string, GoValue>, isNil = false) {
    super()
    this.element = element
    this.entries = entries
    this.isNil = isNil
  }

  /** The keys in the order of their bytes. */
  sortedKeys(): string[] {
    return [...this.entries.keys()].sort(compareBytes)
  }
}

/** A value of a struct type: one value for each field. */
export class GoStruct extends GoBoxed {
  readonly kind = 'struct'
  readonly type: StructLike
  readonly values: readonly GoValue[]

  constructor(type: StructLike, values: readonly GoValue[]) {
    super()
    this.type = type
    this.values = values
  }
}

/** A pointer; `target` is undefined when it is nil. */
export class GoPointer extends GoBoxed {
  readonly kind = 'pointer'
  readonly type: () => GoType
  readonly target: Exclude<GoValue, undefined | null> | undefined

  constructor(type: () => GoType, target: Exclude<GoValue, undefined | null> | undefined) {
    super()
    this.type = type
    this.target = target
  }
}

/** A value of a library type (a time, a version): it prints as a text and has methods instead of fields. */
export abstract class GoObject extends GoBoxed {
  readonly kind = 'object'
  /** As `%T` prints it. */
  abstract readonly typeName: string
  /** The result of `kindOf`. */
  abstract readonly kindName: 'struct' | 'ptr'
  /** Its printed text. */
  abstract text(): string
  /** Its text inside JSON quotes. */
  abstract json(): string
  /** Calls a method. @throws GoCallError if the type has no method of that name, or for wrong arguments */
  abstract call(method: string, args: readonly GoValue[]): GoValue
  /** Whether another object is equal: by `==`, or by content. */
  abstract equals(other: GoObject, how: 'identity' | 'content'): boolean
}

/** A Go `int`. */
export function goInt(value: number | bigint): GoInteger {
  return new GoInteger('int', BigInt(value))
}

/** A Go `int64`. */
export function goInt64(value: bigint): GoInteger {
  return new GoInteger('int64', value)
}

/** A `[]interface {}`. */
export function goList(items: readonly GoValue[]): GoSlice {
  return new GoSlice('any', items)
}

/** A `[]string`. */
export function goStrings(items: readonly string[]): GoSlice {
  return new GoSlice('string', items)
}

/** A `map[string]interface {}`. */
export function goDict(entries: Map<string, GoValue> = new Map()): GoMap {
  return new GoMap('any', entries)
}

/** Orders byte strings by their bytes. */
export function compareBytes(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

/** Whether a value is an integer type without sign. */
export function isUnsigned(type: IntegerType): boolean {
  return type === 'uint8' || type === 'uint64'
}

function wrap(type: IntegerType, value: bigint): bigint {
  switch (type) {
    case 'int':
    case 'int64':
      return BigInt.asIntN(64, value)
    case 'int32':
      return BigInt.asIntN(32, value)
    case 'uint64':
      return BigInt.asUintN(64, value)
    case 'uint8':
      return BigInt.asUintN(8, value)
  }
}

/** Go's kinds, by the names `kindOf` prints. */
export type GoKind =
  | 'invalid'
  | 'string'
  | 'bool'
  | 'float64'
  | 'complex128'
  | IntegerType
  | 'slice'
  | 'map'
  | 'struct'
  | 'ptr'

/** The kind of a value; nil and no value are `invalid`. */
export function findKind(value: GoValue): GoKind {
  if (value === undefined || value === null) return 'invalid'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number') return 'float64'
  switch (value.kind) {
    case 'integer':
      return value.type
    case 'complex':
      return 'complex128'
    case 'pointer':
      return 'ptr'
    case 'object':
      return value.kindName
    default:
      return value.kind
  }
}

/** The type of a value as `%T` prints it; `<nil>` for nil and no value. */
export function toTypeName(value: GoValue): string {
  if (value === undefined || value === null) return '<nil>'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number') return 'float64'
  switch (value.kind) {
    case 'integer':
      return value.type
    case 'complex':
      return 'complex128'
    case 'slice':
      return `[]${typeName(value.element)}`
    case 'map':
      return `map[string]${typeName(value.element)}`
    case 'struct':
      return value.type.name
    case 'pointer':
      return `*${typeName(value.type())}`
    case 'object':
      return value.typeName
  }
}

/** Whether a value is nil of its kind, or no value. */
export function isNil(value: GoValue): boolean {
  if (value === undefined || value === null) return true
  if (value instanceof GoSlice || value instanceof GoMap) return value.isNil
  return value instanceof GoPointer && value.target === undefined
}

/** Follows pointers to what they point at; a nil pointer is returned as it is. */
export function indirect(value: GoValue): GoValue {
  let current = value
  while (current instanceof GoPointer && current.target !== undefined) current = current.target
  return current
}

/** Whether a value counts as true in `if`, `and`, `not`. */
export function isTrue(value: GoValue): boolean {
  if (value === undefined || value === null) return false
  if (typeof value === 'boolean') return value
  if (typeof value === 'string') return value.length > 0
  if (typeof value === 'number') return value !== 0
  switch (value.kind) {
    case 'integer':
      return value.value !== 0n
    case 'complex':
      return value.real !== 0 || value.imaginary !== 0
    case 'slice':
      return value.items.length > 0
    case 'map':
      return value.entries.size > 0
    case 'pointer':
      return value.target !== undefined
    case 'struct':
    case 'object':
      return true
  }
}

/** The zero value of a type. */
export function createZero(type: GoType): GoValue {
  if (type === 'any') return null
  if (type === 'string') return ''
  if (type === 'bool') return false
  if (type === 'float64') return 0
  if (type === 'complex128') return new GoComplex(0, 0)
  if (typeof type === 'string') return new GoInteger(type, 0n)
  switch (type.kind) {
    case 'slice':
      return new GoSlice(type.element, [], true)
    case 'map':
      return new GoMap(type.element, new Map(), true)
    case 'pointer':
      return new GoPointer(type.target, undefined)
    case 'struct':
      return new GoStruct(
        type,
        type.fields.map((field) => createZero(field.type)),
      )
  }
}
