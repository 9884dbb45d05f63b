import { OnnxError } from '../errors.ts'
import type { Graph } from './graph.ts'
import { type BatchMaker, type InputRow, planBatches } from './input-batch.ts'

/** A table of numbers that a graph gave for one row: `length` tokens with `width` numbers each. */
export interface RowOutput {
  readonly length: number
  readonly width: number
  /** Token by token. */
  readonly values: Float32Array
}

/** A graph together with the way to ask it. */
export interface Encoder {
  readonly graph: Graph
  readonly batches: BatchMaker
  /** Name of the output that is read. */
  readonly output: string
  /** Whether it has a row of numbers for each token, or one for the whole text. */
  readonly perToken: boolean
  readonly batchTokens: number
}

/** Rows to run, and what is wanted of what the graph gives for each. */
export interface RowWork<Result> {
  readonly rows: readonly InputRow[]
  /**
   * Reads the output of a row, without padding, as soon as its run is over. Outputs of many rows together may be larger
   * than memory: the result should hold on to no part of it.
   */
  readonly read: (output: RowOutput, index: number) => Result
}

/**
 * Runs rows through a graph, in as many runs as it takes; a caller who leaves is let go between two of them at the
 * latest. Results stand in the order of the rows.
 *
 * @throws OnnxError `internal` where the graph gives something else than it said
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
    if (!(data instanceof Float32Array) || dims.length !== wanted.length + 1 || wanted.some((n, i) => dims[i] !== n)) {
      throw new OnnxError('internal', `the model gave ${dims.join(' x ')} numbers`, { code: 'model_failed' })
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
