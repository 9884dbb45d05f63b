import { isTypedArray } from '@svc/errors'
import { modelFailed } from './errors.ts'
import type { GraphRunner } from './graph.ts'
import { type BatchMaker, type InputRow, planBatches } from './input-batch.ts'

/** The output of a graph for one row: `length` tokens with `width` numbers each. */
export interface RowOutput {
  readonly length: number
  readonly width: number
  /** Token by token. */
  readonly values: Float32Array
}

/** A graph with the facts needed to run it. */
export interface Encoder {
  readonly graph: GraphRunner
  readonly batches: BatchMaker
  /** Name of the output to read. */
  readonly output: string
  /** Whether the output has a row of numbers for each token, or one for the whole text. */
  readonly perToken: boolean
  readonly batchTokens: number
}

/** Rows to run, and a reader of their outputs. */
export interface RowWork<Result> {
  readonly rows: readonly InputRow[]
  /**
   * Reads the output of a row, without padding, right after its run. Outputs of many rows together may exceed memory:
   * the result must not keep any part of it.
   */
  readonly read: (output: RowOutput, index: number) => Result
}

/**
 * Runs rows through a graph, in as many runs as needed. An abort ends the wait between two runs at the latest. Results
 * are in the order of the rows.
 *
 * @throws PiiError `internal` for an output that contradicts the graph's declaration
 */
export async function runRows<Result>(
  encoder: Encoder,
  { rows, read }: RowWork<Result>,
  { signal }: { readonly signal: AbortSignal },
): Promise<readonly Result[]> {
  const { graph, batches, output, perToken, batchTokens } = encoder
  const results: Result[] = new Array(rows.length)
  for (const batch of planBatches(rows, { maxTokens: batchTokens, maxRows: batches.maxRows })) {
    const members = batch.flatMap((index) => rows[index] ?? [])
    const size = batches.size(members)
    const { dims, data } = await graph.run({ feeds: batches.feeds(members), output }, { signal })
    const width = dims.at(-1) ?? 0
    const wanted = perToken ? [size.rows, size.length] : [size.rows]
    if (
      !isTypedArray(data, 'Float32Array') ||
      dims.length !== wanted.length + 1 ||
      wanted.some((n, i) => dims[i] !== n)
    ) {
      throw modelFailed(`the model gave ${dims.join(' x ')} numbers`)
    }
    const rowSize = width * (perToken ? size.length : 1)
    for (const [place, index] of batch.entries()) {
      const length = perToken ? (rows[index]?.ids.length ?? 0) : 1
      const start = place * rowSize
      results[index] = read({ length, width, values: data.subarray(start, start + length * width) }, index)
    }
  }
  return results
}
