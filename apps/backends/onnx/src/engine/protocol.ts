/** Number types of graph inputs and outputs. */
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
  /** Type of its numbers, in the words of the engine; empty for anything but a block of numbers. */
  readonly kind: string
  /** Fixed sizes, and names of variable ones. */
  readonly shape: readonly (number | string)[]
}

/** Inputs and outputs of a graph. */
export interface GraphShape {
  readonly inputs: readonly GraphValue[]
  readonly outputs: readonly GraphValue[]
}

/** Options of loading a graph. */
export interface GraphSource {
  readonly file: string
  /** Threads of one run. */
  readonly threads: number
}

/** One run of a graph. */
export interface GraphRun {
  readonly feeds: Readonly<Record<string, NumberBlock>>
  /** Name of the requested output. */
  readonly output: string
}

/** Requests to the process of a graph: first the load, then one run after the other. */
export type GraphRequest =
  | { readonly kind: 'load'; readonly source: GraphSource }
  | { readonly kind: 'run'; readonly run: GraphRun }

/** Replies of the process. */
export type GraphReply =
  | { readonly kind: 'loaded'; readonly shape: GraphShape; readonly memoryBytes: number }
  | { readonly kind: 'done'; readonly output: NumberBlock; readonly memoryBytes: number }
  | { readonly kind: 'failed'; readonly message: string }
