import { badModel } from './errors.ts'
import type { GraphShape, NumberBlock } from './graph.ts'
import type { Frame, FrameToken } from './tokenizer/frame.ts'

/** One input of a model: token ids with their types. */
export interface InputRow {
  readonly ids: readonly number[]
  readonly types: readonly number[]
}

/** Converts rows to the inputs of a graph. */
export interface BatchMaker {
  /** Most rows in one batch, for any length. */
  readonly maxRows: number
  /** The only accepted length, for a graph with a fixed one. */
  readonly fixedLength: number | undefined
  /** Sizes of a batch: rows and tokens of each, padding included. */
  readonly size: (rows: readonly InputRow[]) => { readonly rows: number; readonly length: number }
  readonly feeds: (rows: readonly InputRow[]) => Readonly<Record<string, NumberBlock>>
}

const MAX_ROWS = 256

/** Values of each input for token `index` of a row; the last line is for padding. */
const COLUMNS: Readonly<
  Record<string, { readonly of: (row: InputRow, index: number) => number; readonly padding: number }>
> = {
  input_ids: { of: (row, index) => row.ids[index] ?? 0, padding: Number.NaN },
  attention_mask: { of: () => 1, padding: 0 },
  token_type_ids: { of: (row, index) => row.types[index] ?? 0, padding: 0 },
  position_ids: { of: (_, index) => index, padding: 0 },
}

/** Checks the inputs of a graph. @throws PiiError `unprocessable` for a graph that is not a text model */
export function createBatchMaker({ inputs }: GraphShape, { padId }: { readonly padId: number }): BatchMaker {
  const unknown = inputs.filter(({ name }) => COLUMNS[name] === undefined).map(({ name }) => name)
  if (unknown.length > 0) throw badModel(`the graph wants the inputs ${unknown.join(', ')}, which no text gives`)
  if (!inputs.some(({ name }) => name === 'input_ids')) throw badModel('the graph has no input input_ids')
  const wrong = inputs.find(({ kind, shape }) => !/^int(32|64)$/.test(kind) || shape.length !== 2)
  if (wrong !== undefined) throw badModel(`the input ${wrong.name} is not a table of whole numbers`)
  const [rowsDim, lengthDim] = inputs.find(({ name }) => name === 'input_ids')?.shape ?? []
  const fixedRows = typeof rowsDim === 'number' ? rowsDim : undefined
  const fixedLength = typeof lengthDim === 'number' ? lengthDim : undefined

  const size = (rows: readonly InputRow[]): { rows: number; length: number } => ({
    rows: fixedRows ?? rows.length,
    length: fixedLength ?? rows.reduce((most, row) => Math.max(most, row.ids.length), 0),
  })
  return {
    maxRows: fixedRows ?? MAX_ROWS,
    fixedLength,
    size,
    feeds: (rows) => {
      const { rows: count, length } = size(rows)
      return Object.fromEntries(
        inputs.map(({ name, kind }) => {
          const column = COLUMNS[name]
          const values = new Int32Array(count * length).fill(name === 'input_ids' ? padId : (column?.padding ?? 0))
          for (const [place, row] of rows.entries()) {
            for (let index = 0; index < row.ids.length; index++) {
              values[place * length + index] = column?.of(row, index) ?? 0
            }
          }
          const dims = [count, length]
          const block: NumberBlock =
            kind === 'int64'
              ? { kind: 'int64', dims, data: BigInt64Array.from(values, BigInt) }
              : { kind: 'int32', dims, data: values }
          return [name, block]
        }),
      )
    },
  }
}

/** The tokens of one text, or of two, with the model's special tokens around them. */
export function frameRow(frame: Frame, ids: readonly number[], second: readonly number[] = []): InputRow {
  const [type = 0, secondType = 0] = frame.textTypes
  const parts = [
    ...frame.before,
    ...ids.map((id) => ({ id, type })),
    ...frame.between,
    ...second.map((id) => ({ id, type: secondType })),
    ...frame.after,
  ] satisfies readonly FrameToken[]
  return { ids: parts.map(({ id }) => id), types: parts.map((part) => part.type) }
}

/**
 * Groups rows into batches of similar length, because padding costs as much as text. No batch has more than `maxTokens`
 * tokens, padding included, except a single row. Returns indexes in `rows`.
 */
export function planBatches(
  rows: readonly InputRow[],
  { maxTokens, maxRows }: { readonly maxTokens: number; readonly maxRows: number },
): readonly (readonly number[])[] {
  const order = rows.map((_, index) => index).sort((a, b) => lengthAt(rows, a) - lengthAt(rows, b) || a - b)
  const batches: number[][] = []
  for (const index of order) {
    const batch = batches.at(-1)
    const fits =
      batch !== undefined && batch.length < maxRows && (batch.length + 1) * lengthAt(rows, index) <= maxTokens
    if (fits) batch.push(index)
    else batches.push([index])
  }
  return batches
}

function lengthAt(rows: readonly InputRow[], index: number): number {
  return rows[index]?.ids.length ?? 0
}
