/** Kinds of typed arrays, by the names of their constructors. */
interface TypedArrays {
  readonly Uint8Array: Uint8Array
  readonly Float32Array: Float32Array
}

// The getter reads the kind of any typed array, whatever its prototype, and gives undefined for other values.
const readKind = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag)?.get

/**
 * Whether a value is a typed array of a kind. Arrays of other realms count, such as those of a frame, a worker of an
 * edge runtime or a context of `node:vm`; `instanceof` does not recognise them.
 *
 * @example
 * isTypedArray(Buffer.from('a'), 'Uint8Array') // true
 */
export function isTypedArray<Kind extends keyof TypedArrays>(value: unknown, kind: Kind): value is TypedArrays[Kind] {
  return readKind !== undefined && Reflect.apply(readKind, value, []) === kind
}
