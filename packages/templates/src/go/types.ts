/** Integer types a value can have. */
export type IntegerType = 'int' | 'int32' | 'int64' | 'uint8' | 'uint64'

/** A Go type: a word, or a description of a list, a map, a pointer or a struct. `any` is `interface {}`. */
export type GoType = 'any' | 'string' | 'bool' | 'float64' | 'complex128' | IntegerType | CompositeType | StructLike

/** Lists, maps from strings, and pointers. */
export type CompositeType =
  | { readonly kind: 'slice'; readonly element: GoType }
  | { readonly kind: 'map'; readonly element: GoType }
  | { readonly kind: 'pointer'; readonly target: () => GoType }

/** A struct type: its identity is the object itself. */
export interface StructLike {
  readonly kind: 'struct'
  readonly name: string
  readonly fields: readonly GoField[]
}

/** One field of a struct type, in declaration order. */
export interface GoField {
  /** The Go name templates use, such as `RoleName`. */
  readonly name: string
  readonly type: GoType
  /** The name in JSON. */
  readonly json: string
  /** Whether JSON leaves the field out when it is empty. */
  readonly omitEmpty: boolean
}

/** `[]element`. */
export function goSlice(element: GoType): GoType {
  return { kind: 'slice', element }
}

/** `map[string]element`. */
export function goMap(element: GoType): GoType {
  return { kind: 'map', element }
}

/** `*target`; a function, so that a struct can point to its own kind. */
export function goPointerTo(target: () => GoType): GoType {
  return { kind: 'pointer', target }
}

/** The type as `%T` prints it. */
export function typeName(type: GoType): string {
  if (type === 'any') return 'interface {}'
  if (typeof type === 'string') return type
  switch (type.kind) {
    case 'slice':
      return `[]${typeName(type.element)}`
    case 'map':
      return `map[string]${typeName(type.element)}`
    case 'pointer':
      return `*${typeName(type.target())}`
    case 'struct':
      return type.name
  }
}

/** Whether two types are one. */
export function sameType(left: GoType, right: GoType): boolean {
  if (typeof left === 'string' || typeof right === 'string') return left === right
  if (left.kind === 'slice') return right.kind === 'slice' && sameType(left.element, right.element)
  if (left.kind === 'map') return right.kind === 'map' && sameType(left.element, right.element)
  if (left.kind === 'pointer') return right.kind === 'pointer' && sameType(left.target(), right.target())
  return left === right
}
