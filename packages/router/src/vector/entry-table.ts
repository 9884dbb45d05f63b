import { createRowStorage, type KernelKind, type RowStorage } from './kernel.ts'
import { createKeyTable, type KeyTable } from './key-table.ts'
import type { VectorEntry } from './ports.ts'

/** Columns of the entries: one item of each for a row. */
export interface EntryTable {
  readonly dimension: number
  readonly storage: RowStorage
  readonly keys: KeyTable
  readonly values: Uint8Array[]
  /** Sequence number of each row, which tells which of equals came first. */
  readonly sequences: number[]
  readonly norms: number[]
  nextSequence: number
  bytes: number
  /** Number of changes: tells who waited whether the rows are the same. */
  version: number
}

/** Creates an empty table for keys of one length. */
export function createEntryTable(dimension: number, kind: KernelKind): EntryTable {
  const storage = createRowStorage(dimension, kind)
  return {
    dimension,
    storage,
    keys: createKeyTable(storage, dimension),
    values: [],
    sequences: [],
    norms: [],
    nextSequence: 0,
    bytes: 0,
    version: 0,
  }
}

/** Puts an entry in a new row, or a value in the row of its key. The storage must have room. */
export function putEntry(
  table: EntryTable,
  { key, value }: { readonly key: Float32Array; readonly value: Uint8Array },
): void {
  table.version++
  const present = table.keys.find(key)
  if (present !== undefined) {
    table.bytes += value.length - (table.values[present]?.length ?? 0)
    table.values[present] = value
    return
  }
  const row = table.values.length
  table.storage.row(row).set(key)
  table.keys.add(key, row)
  table.values.push(value)
  table.sequences.push(table.nextSequence++)
  table.norms.push(measureNorm(key))
  table.bytes += entryBytes(table.dimension, value)
}

/** Removes a row. The last row takes its place. */
export function removeRow(table: EntryTable, row: number): void {
  const last = table.values.length - 1
  table.version++
  table.keys.remove(table.storage.row(row), row)
  table.bytes -= entryBytes(table.dimension, table.values[row])
  if (row !== last) {
    const moved = table.storage.row(last)
    table.keys.remove(moved, last)
    table.storage.row(row).set(moved)
    table.keys.add(moved, row)
  }
  moveLast(table.values, row)
  moveLast(table.sequences, row)
  moveLast(table.norms, row)
}

/** Returns copies of the key and the value of a row. */
export function readEntry(table: EntryTable, row: number): VectorEntry {
  return { key: table.storage.row(row).slice(), value: new Uint8Array(table.values[row] ?? []) }
}

/** The bytes that an entry counts for. */
export function entryBytes(dimension: number, value: Uint8Array | undefined): number {
  return dimension * Float32Array.BYTES_PER_ELEMENT + (value?.length ?? 0)
}

/** The Euclidean length of a vector. */
export function measureNorm(vector: Float32Array): number {
  let sum = 0
  for (const value of vector) sum += value * value
  return Math.sqrt(sum)
}

/** Puts the last item of a column in the place of another one. */
function moveLast<T>(column: T[], index: number): void {
  const last = column.pop()
  if (last !== undefined && index < column.length) column[index] = last
}
