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

/** One run of a graph. */
export interface GraphRun {
  readonly feeds: Readonly<Record<string, NumberBlock>>
  /** Name of the requested output. */
  readonly output: string
}

/** A loaded graph, as far as an encoder runs it. */
export interface GraphRunner {
  readonly shape: GraphShape
  run(run: GraphRun, options: { readonly signal: AbortSignal }): Promise<NumberBlock>
}
