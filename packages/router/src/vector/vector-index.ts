import { checkArgument } from '@svc/errors'
import { createEntryTable, type EntryTable, entryBytes, putEntry, readEntry, removeRow } from './entry-table.ts'
import { VectorError } from './errors.ts'
import { findNearestRows } from './find-nearest.ts'
import { createRowStorage, type KernelKind } from './kernel.ts'
import type { FoundEntry, Vector, VectorEntry, VectorFindOptions, VectorIndex } from './ports.ts'
import { isMostlyEmpty, shrinkTable } from './shrink-table.ts'

/** Options of {@link createVectorIndex}. */
export interface VectorIndexOptions {
  /** @default 100,000 */
  readonly maxEntries?: number | undefined
  /** Keys and values together. @default 1 GiB */
  readonly maxBytes?: number | undefined
  /** 'plain' computes without WebAssembly; the results are the same. @default 'wasm' where the engine has it */
  readonly kernel?: KernelKind | undefined
}

/** A {@link VectorIndex} in memory. */
export interface MemoryVectorIndex extends VectorIndex {
  readonly size: number
  /** The length of all keys; undefined while the index is empty. */
  readonly dimension: number | undefined
  /** Bytes of all keys and values. */
  readonly bytes: number
  /** Bytes of memory taken for keys, with room for more. After a removal that leaves it mostly empty it is given back. */
  readonly allocatedBytes: number
  readonly kernel: KernelKind
  /** Gives a copy of each entry, the earliest first. The index must stay as it is until the iteration ends. */
  entries(): IterableIterator<VectorEntry>
  /** Removes all entries. */
  clear(): void
}

const DEFAULT_MAX_ENTRIES = 100_000
const DEFAULT_MAX_BYTES = 1024 ** 3
/** The longest key. */
export const MAX_DIMENSION = 16_384

/** Searches of a table that changes meanwhile; the last one lets nothing else run. */
const MAX_ATTEMPTS = 3

/**
 * An index in memory with exact search: each query is compared with all keys. A kernel of 32-bit floats chooses the
 * rows that can be among the nearest, and 64-bit arithmetic decides, so results do not depend on the kernel.
 *
 * @example
 * const index = createVectorIndex()
 * await index.set([{ key: [1, 0], value: new TextEncoder().encode('east') }], { signal })
 * const [nearest] = await index.find([0.9, 0.1], { count: 1, signal })
 */
export function createVectorIndex(options: VectorIndexOptions = {}): MemoryVectorIndex {
  const { maxEntries = DEFAULT_MAX_ENTRIES, maxBytes = DEFAULT_MAX_BYTES, kernel } = options
  checkArgument(
    Number.isSafeInteger(maxEntries) && maxEntries > 0,
    'createVectorIndex: maxEntries',
    'a positive count',
    maxEntries,
  )
  checkArgument(maxBytes > 0, 'createVectorIndex: maxBytes', 'a positive number', maxBytes)
  const kind = createRowStorage(1, kernel).kind
  let table: EntryTable | undefined

  async function shrink(now: EntryTable): Promise<void> {
    const { version } = now
    // Without memory for a copy the table stays as it is: the entries are gone in any case.
    const smaller = await shrinkTable(now).catch(() => undefined)
    if (smaller !== undefined && table === now && now.version === version) table = smaller
  }

  return {
    get size() {
      return table?.values.length ?? 0
    },
    get dimension() {
      return table?.dimension
    },
    get bytes() {
      return table?.bytes ?? 0
    },
    get allocatedBytes() {
      return table?.storage.bytes ?? 0
    },
    *entries() {
      if (table === undefined) return
      const { sequences } = table
      const rows = Array.from(sequences.keys()).sort((one, other) => (sequences[one] ?? 0) - (sequences[other] ?? 0))
      for (const row of rows) yield readEntry(table, row)
    },
    kernel: kind,
    clear() {
      table = undefined
    },
    async set(entries, { signal }) {
      signal.throwIfAborted()
      const [first] = entries
      if (first === undefined) return
      const dimension = table?.dimension ?? first.key.length
      const added = entries.map((entry, index) => toEntry(entry, dimension, index))
      const size = table?.values.length ?? 0
      const bytes = added.reduce((sum, { value }) => sum + entryBytes(dimension, value), table?.bytes ?? 0)
      const fresh = added.filter(({ key }) => table?.keys.find(key) === undefined).length
      if (size + fresh > maxEntries) {
        throw new VectorError('vector_limit', `the vector index holds at most ${maxEntries} entries`)
      }
      if (bytes > maxBytes) throw new VectorError('vector_limit', `the vector index holds at most ${maxBytes} bytes`)
      const to = table ?? createEntryTable(dimension, kind)
      to.storage.reserve(size + fresh)
      for (const entry of added) putEntry(to, entry)
      table = to
    },
    async get(keys, { signal, maxBytes: most }) {
      signal.throwIfAborted()
      const now = table
      if (now === undefined) return []
      const rows = keys.flatMap((key, index) => now.keys.find(toKey(key, now.dimension, `keys[${index}]`)) ?? [])
      return copyRows(now, rows, most)
    },
    async delete(keys, { signal }) {
      signal.throwIfAborted()
      const dimension = table?.dimension
      if (dimension === undefined) return 0
      const wanted = keys.map((key, index) => toKey(key, dimension, `keys[${index}]`))
      let count = 0
      for (const key of wanted) {
        const row = table?.keys.find(key)
        if (table === undefined || row === undefined) continue
        removeRow(table, row)
        if (table.values.length === 0) table = undefined
        count++
      }
      if (table !== undefined && isMostlyEmpty(table)) await shrink(table)
      return count
    },
    async find(query, { count, signal, accepts, maxBytes: most }) {
      signal.throwIfAborted()
      if (!Number.isSafeInteger(count) || count < 1) {
        throw new VectorError('vector_invalid', 'the number of entries to find must be a whole number, 1 or more')
      }
      return findEntries(() => table, query, { count, signal, accepts, maxBytes: most })
    },
  }
}

/** Returns a copy of an entry as the index keeps it. */
function toEntry({ key, value }: VectorEntry, dimension: number, index: number) {
  if (!(value instanceof Uint8Array)) throw new VectorError('vector_invalid', `values[${index}] is not a Uint8Array`)
  return { key: toKey(key, dimension, `keys[${index}]`), value: new Uint8Array(value) }
}

/** A key as the index keeps it: 32-bit floats, and no minus zero. */
function toKey(key: Vector, dimension: number, name: string): Float32Array {
  if (!Number.isSafeInteger(key.length) || key.length < 1 || key.length > MAX_DIMENSION) {
    throw new VectorError('vector_invalid', `${name} must have 1 to ${MAX_DIMENSION} numbers`)
  }
  if (key.length !== dimension) {
    throw new VectorError('vector_dimension', `${name} has ${key.length} numbers, the index has keys of ${dimension}`)
  }
  const floats = new Float32Array(dimension)
  for (let index = 0; index < dimension; index++) {
    const value = key[index]
    if (typeof value !== 'number' || !Number.isFinite(Math.fround(value))) {
      throw new VectorError('vector_invalid', `${name}[${index}] is not a finite 32-bit float`)
    }
    floats[index] = value + 0
  }
  return floats
}

/** Copies entries. @throws VectorError `vector_limit` before a copy when there are more bytes than `maxBytes` */
function copyRows(table: EntryTable, rows: readonly number[], maxBytes = Number.POSITIVE_INFINITY): VectorEntry[] {
  const bytes = rows.reduce((sum, row) => sum + entryBytes(table.dimension, table.values[row]), 0)
  if (bytes <= maxBytes) return rows.map((row) => readEntry(table, row))
  throw new VectorError('vector_limit', `the entries have ${bytes} bytes, more than ${maxBytes}`)
}

/** Searches the table that the index has, again when it has changed meanwhile. */
async function findEntries(
  read: () => EntryTable | undefined,
  query: Vector,
  { count, signal, accepts, maxBytes }: VectorFindOptions,
): Promise<readonly FoundEntry[]> {
  for (let attempt = 1; ; attempt++) {
    const table = read()
    if (table === undefined) return []
    const options = { count, signal, accepts, givesTurns: attempt < MAX_ATTEMPTS }
    const nearest = await findNearestRows(table, toKey(query, table.dimension, 'key'), options)
    if (nearest === undefined) continue
    const rows = nearest.map(({ row }) => row)
    const entries = copyRows(table, rows, maxBytes)
    return entries.map((entry, index) => ({ ...entry, similarity: nearest[index]?.similarity ?? 0 }))
  }
}
