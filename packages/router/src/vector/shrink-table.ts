import { createEntryTable, type EntryTable } from './entry-table.ts'
import { giveTurn } from './give-turn.ts'

/** A table that takes no more is not worth a copy. */
const SMALLEST_BYTES = 1024 * 1024
/** A table with rows in less than this part of its memory is copied: a quarter. */
const LEAST_PART = 4
/** Floats that are copied without a pause. */
const FLOATS_PER_TURN = 1_048_576

/** Whether most of the memory of a table is empty. */
export function isMostlyEmpty({ storage, values }: EntryTable): boolean {
  return storage.bytes > SMALLEST_BYTES && values.length * storage.rowBytes * LEAST_PART < storage.bytes
}

/** Copies a table into one without empty room. @returns undefined when it has changed meanwhile */
export async function shrinkTable(table: EntryTable): Promise<EntryTable | undefined> {
  const { dimension, storage, values, version } = table
  const smaller = createEntryTable(dimension, storage.kind)
  smaller.storage.reserve(values.length)
  const rowsPerTurn = Math.max(1, Math.floor(FLOATS_PER_TURN / dimension))
  for (let row = 0; row < values.length; row++) {
    if (row > 0 && row % rowsPerTurn === 0) {
      await giveTurn()
      if (table.version !== version) return undefined
    }
    const key = storage.row(row)
    smaller.storage.row(row).set(key)
    smaller.keys.add(key, row)
  }
  const { sequences, norms, nextSequence, bytes } = table
  return {
    ...smaller,
    values: [...values],
    sequences: [...sequences],
    norms: [...norms],
    nextSequence,
    bytes,
  }
}
