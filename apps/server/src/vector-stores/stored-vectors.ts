import { createVectorIndex, type MemoryVectorIndex, type Vector, type VectorEntry } from '@svc/router/vector'
import type { Journal } from './journal.ts'
import type { JournalRecord } from './journal-records.ts'
import type { StoreLimits } from './limits.ts'
import type { StoreName } from './store-name.ts'

/** Bytes that each entry takes beside its key and its value, roughly. */
const ENTRY_OVERHEAD_BYTES = 128

/** One store: its entries, and its file where stores are kept. */
export interface StoredVectors {
  readonly store: StoreName
  readonly index: MemoryVectorIndex
  journal: Journal | undefined
}

/** Creates an empty store. */
export function createStoredVectors(store: StoreName, { maxEntries, maxTotalBytes }: StoreLimits): StoredVectors {
  return { store, index: createVectorIndex({ maxEntries, maxBytes: maxTotalBytes }), journal: undefined }
}

/** Bytes that a store counts for. */
export function measureStore({ index }: StoredVectors): number {
  return index.bytes + index.size * ENTRY_OVERHEAD_BYTES
}

/** Runs to its end, as a change under way cannot be left. */
const { signal: UNABORTED } = new AbortController()

/**
 * Adds entries in memory, then in the file. All of them are added or none.
 *
 * @param check decides about the store with the new entries; its error takes them back
 */
export async function setEntries(
  stored: StoredVectors,
  entries: readonly VectorEntry[],
  check: () => void,
): Promise<void> {
  const { index } = stored
  const keys = entries.map(({ key }) => key)
  const before = index.size === 0 ? [] : await index.get(listDistinct(keys), { signal: UNABORTED })
  await index.set(entries, { signal: UNABORTED })
  try {
    check()
    await write(stored, { kind: 'set', entries })
  } catch (error) {
    await index.delete(keys, { signal: UNABORTED })
    await index.set(before, { signal: UNABORTED })
    throw error
  }
  await compact(stored)
}

/** Removes entries in memory, then in the file. All of them are removed or none. @returns how many there were */
export async function deleteEntries(stored: StoredVectors, keys: readonly Vector[]): Promise<number> {
  const { index, journal } = stored
  const before = await index.get(listDistinct(keys), { signal: UNABORTED })
  if (before.length === 0) return 0
  const count = await index.delete(keys, { signal: UNABORTED })
  try {
    await write(stored, { kind: 'delete', keys })
  } catch (error) {
    await index.set(before, { signal: UNABORTED })
    throw error
  }
  // The file says so already. An empty one that stays is removed at the next start.
  if (index.size === 0) await journal?.remove().catch(() => undefined)
  else await compact(stored)
  return count
}

/** Leaves repeated keys out, so that the value of each is copied once. */
function listDistinct(keys: readonly Vector[]): readonly Vector[] {
  const byBytes = new Map(
    keys.map((key) => [Buffer.from(Float32Array.from(key).buffer).toString('latin1'), key] as const),
  )
  return [...byBytes.values()]
}

async function write({ journal, index }: StoredVectors, record: JournalRecord): Promise<void> {
  await journal?.append(record, () => index.entries())
}

/** Writes the file anew when most of it is about entries that are gone. The change itself is in the file already. */
async function compact({ journal, index }: StoredVectors): Promise<void> {
  if (journal?.isWasteful(index.bytes) === true) await journal.rewrite(index.entries()).catch(() => undefined)
}
