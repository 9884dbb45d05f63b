import { SvcError } from '@svc/errors'

/** A vector with its value. */
export interface StoreEntry {
  readonly key: readonly number[]
  readonly value: Uint8Array
}

/** Vectors in memory, with the rules of LocalAI's local store. */
export interface VectorStore {
  /** Adds or replaces. All vectors have one length, fixed by the first until the store is empty again. */
  set(entries: readonly StoreEntry[]): void
  delete(keys: ReadonlyArray<readonly number[]>): void
  /** Returns the known entries. */
  get(keys: ReadonlyArray<readonly number[]>): StoreEntry[]
  /** Finds the nearest by cosine, best first; a zero vector is as far as a right angle. */
  find(key: readonly number[], count: number): Array<StoreEntry & { readonly similarity: number }>
}

/** Creates an empty store. */
export function createVectorStore(): VectorStore {
  const entries = new Map<string, StoreEntry>()

  function check(keys: ReadonlyArray<readonly number[]>): void {
    if (keys.length === 0) throw invalid('no keys')
    const [first] = entries.values()
    const length = first?.key.length ?? keys[0]?.length ?? 0
    if (length === 0 || keys.some((key) => key.length !== length)) throw invalid('keys have different lengths')
  }

  return {
    set(added) {
      check(added.map(({ key }) => key))
      for (const entry of added) entries.set(entry.key.join(), entry)
    },
    delete(keys) {
      check(keys)
      for (const key of keys) entries.delete(key.join())
    },
    get(keys) {
      check(keys)
      return keys.flatMap((key) => entries.get(key.join()) ?? [])
    },
    find(key, count) {
      if (count < 1) throw invalid('top k is at least 1')
      check([key])
      return [...entries.values()]
        .map((entry) => ({ ...entry, similarity: cosine(key, entry.key) }))
        .sort((a, b) => b.similarity - a.similarity)
        .slice(0, count)
    },
  }
}

function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0)
  const length = Math.hypot(...a) * Math.hypot(...b)
  return length === 0 ? 0 : dot / length
}

function invalid(message: string): SvcError {
  return new SvcError('invalid_request', message, { code: 'store_invalid' })
}
