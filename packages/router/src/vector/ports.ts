/** A vector as numbers; an index keeps 32-bit floats. */
export type Vector = ArrayLike<number>

/** A vector and the bytes kept under it. */
export interface VectorEntry {
  readonly key: Vector
  readonly value: Uint8Array
}

/** An entry that {@link VectorIndex.find} found. */
export interface FoundEntry extends VectorEntry {
  /** Cosine of the angle to the query, -1..1; 0 where either vector is all zeros. */
  readonly similarity: number
}

/** Options of reads of a {@link VectorIndex}. */
export interface VectorReadOptions {
  readonly signal: AbortSignal
  /** Most bytes of the keys and values that are given, each as often as it is given. @default no limit */
  readonly maxBytes?: number | undefined
}

/** Options of a search in a {@link VectorIndex}. */
export interface VectorFindOptions extends VectorReadOptions {
  /** Most entries that are given, 1 or more. */
  readonly count: number
  /** Tells by its value whether an entry may be given. It must not keep or change the value. @default each may */
  readonly accepts?: ((value: Uint8Array) => boolean) | undefined
}

/**
 * Vectors with a value each. All keys of an index have one length, which its first entry fixes and an empty index
 * forgets.
 *
 * Every method rejects with the signal's reason once the signal is aborted.
 */
export interface VectorIndex {
  /** Adds all entries or none. An equal key gets the new value. */
  set(entries: readonly VectorEntry[], options: { readonly signal: AbortSignal }): Promise<void>
  /** The entries under these keys, in the order of the keys; a key without entry is left out. */
  get(keys: readonly Vector[], options: VectorReadOptions): Promise<readonly VectorEntry[]>
  /** Removes the entries under these keys. @returns how many there were */
  delete(keys: readonly Vector[], options: { readonly signal: AbortSignal }): Promise<number>
  /** The entries nearest to a vector, the nearest first; the earlier one of equals. */
  find(query: Vector, options: VectorFindOptions): Promise<readonly FoundEntry[]>
}
