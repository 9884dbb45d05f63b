/** Kinds of numbers that go in or come out of a graph. */
export type NumberKind = 'int64' | 'int32' | 'float32'

/** A block of numbers, row by row. */
export interface NumberBlock {
  readonly kind: NumberKind
  readonly dims: readonly number[]
  readonly data: BigInt64Array | Int32Array | Float32Array
}

/** An input or an output of a graph. */
export interface GraphValue {
  readonly name: string
  /** Kind of its numbers, in the words of the engine; empty for what is no block of numbers. */
  readonly kind: string
  /** Sizes that are fixed, names of those that are not. */
  readonly shape: readonly (number | string)[]
}

/** What a graph takes and gives. */
export interface GraphShape {
  readonly inputs: readonly GraphValue[]
  readonly outputs: readonly GraphValue[]
}

/** What a graph is loaded from. */
export interface GraphSource {
  readonly file: string
  /** Threads of one run. */
  readonly threads: number
}

/** One run of a graph. */
export interface GraphRun {
  readonly feeds: Readonly<Record<string, NumberBlock>>
  /** Name of the output that is wanted. */
  readonly output: string
}

/** What the process of a graph is told: first what to load, then one run after the other. */
export type GraphRequest =
  | { readonly kind: 'load'; readonly source: GraphSource }
  | { readonly kind: 'run'; readonly run: GraphRun }

/** What it answers to each. */
export type GraphReply =
  | { readonly kind: 'loaded'; readonly shape: GraphShape; readonly memoryBytes: number }
  | { readonly kind: 'done'; readonly output: NumberBlock; readonly memoryBytes: number }
  | { readonly kind: 'failed'; readonly message: string }
