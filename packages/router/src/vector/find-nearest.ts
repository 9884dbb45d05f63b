import { type EntryTable, measureNorm } from './entry-table.ts'
import { giveTurn } from './give-turn.ts'
import { selectNearestRows } from './nearest-rows.ts'

/** A row and its similarity to the query. */
export interface NearRow {
  readonly row: number
  readonly similarity: number
}

/** Options of {@link findNearestRows}. */
export interface NearestOptions {
  readonly count: number
  readonly signal: AbortSignal
  /** Whether other work may run meanwhile. */
  readonly givesTurns: boolean
  /** Says which entries may be found, by their values. @default all */
  readonly accepts?: ((value: Uint8Array) => boolean) | undefined
}

/**
 * Rows with a norm outside of this range are compared only in 64 bits: 32-bit products overflow or vanish there. Inside
 * of it no sum is larger than the largest 32-bit float, and what the smallest ones lose is below the margin.
 */
const SMALLEST_PLAIN_NORM = 1e-30
const LARGEST_PLAIN_NORM = 1e37
/** Half the distance of 1 to the next 32-bit float. */
const ROUNDING = 2 ** -24
/** Floats that are compared in 64 bits without a pause, a few milliseconds. */
const FLOATS_PER_TURN = 1_048_576
/** Rows that are sorted without a pause. */
const ROWS_PER_TURN = 4096

/**
 * Finds the rows nearest to a query, the nearest first, the earlier one of equals. A query or a row of zeros has the
 * similarity 0 to all.
 *
 * @returns undefined when the table has changed while other work ran
 */
export async function findNearestRows(
  table: EntryTable,
  query: Float32Array,
  { count, signal, givesTurns, accepts }: NearestOptions,
): Promise<readonly NearRow[] | undefined> {
  const { storage, norms, sequences, dimension, version } = table
  const queryNorm = measureNorm(query)
  const rows = selectCandidates(table, query, { queryNorm, count, accepts })
  const rowsPerTurn = Math.max(1, Math.min(ROWS_PER_TURN, Math.floor(FLOATS_PER_TURN / dimension)))
  const isBefore = (one: NearRow, other: NearRow): number =>
    other.similarity - one.similarity || (sequences[one.row] ?? 0) - (sequences[other.row] ?? 0)
  let nearest: NearRow[] = []
  for (let first = 0; first < rows.length; first += rowsPerTurn) {
    if (first > 0 && givesTurns) {
      await giveTurn()
      signal.throwIfAborted()
      if (table.version !== version) return undefined
    }
    const last = nearest.length < count ? undefined : nearest.at(-1)
    for (const row of rows.slice(first, first + rowsPerTurn)) {
      const near = { row, similarity: compare(query, queryNorm, { vector: storage.row(row), norm: norms[row] ?? 0 }) }
      if (last === undefined || isBefore(near, last) < 0) nearest.push(near)
    }
    nearest = nearest.sort(isBefore).slice(0, count)
  }
  return nearest
}

/** Chooses the rows that can be among the nearest, by products of 32 bits. */
function selectCandidates(
  { storage, values, norms, dimension }: EntryTable,
  query: Float32Array,
  { queryNorm, count, accepts }: Pick<NearestOptions, 'count' | 'accepts'> & { readonly queryNorm: number },
): readonly number[] {
  const rowCount = values.length
  const products = new Float32Array(rowCount)
  if (queryNorm > 0) storage.multiply(scaleToUnit(query, queryNorm), rowCount, products)
  for (let row = 0; row < rowCount; row++) {
    const norm = norms[row] ?? 0
    const isPlain = norm >= SMALLEST_PLAIN_NORM && norm <= LARGEST_PLAIN_NORM
    products[row] = isPlain ? (products[row] ?? 0) / norm : norm === 0 ? 0 : Number.NaN
  }
  // The kernel adds in sixteen lanes, then the lanes: each sum and product is rounded once, the query and the quotient
  // too.
  const margin = (Math.ceil(dimension / 16) + 8) * ROUNDING * 1.01
  if (accepts === undefined) return selectNearestRows(products, { rowCount, count, margin })
  // Rows that are not accepted lie behind all others.
  const isAccepted = values.map((value) => accepts(value))
  for (let row = 0; row < rowCount; row++) if (isAccepted[row] !== true) products[row] = Number.NEGATIVE_INFINITY
  return selectNearestRows(products, { rowCount, count, margin }).filter((row) => isAccepted[row] === true)
}

/** Divides in 64 bits, so that vectors of any length become 32-bit floats. */
function scaleToUnit(vector: Float32Array, norm: number): Float32Array {
  return vector.map((value) => value / norm)
}

function compare(
  query: Float32Array,
  queryNorm: number,
  { vector, norm }: { readonly vector: Float32Array; readonly norm: number },
): number {
  if (queryNorm === 0 || norm === 0) return 0
  return Math.max(-1, Math.min(1, multiplyExactly(query, vector) / queryNorm / norm))
}

function multiplyExactly(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let index = 0; index < one.length; index++) sum += (one[index] ?? 0) * (other[index] ?? 0)
  return sum
}
