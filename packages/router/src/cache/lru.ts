/** Keeps the most recently used values. */
export interface LruCache<V> {
  readonly size: number
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
  clear(): void
}

/** Options of {@link createLruCache}. */
export interface LruOptions<V> {
  readonly maxEntries: number
  /** Length of all keys together, in UTF-16 code units. @default no limit */
  readonly maxKeyLength?: number | undefined
  /** Called with an entry that is evicted for another one. */
  readonly onEvict?: ((value: V) => void) | undefined
}

/** A cache that forgets the entry that was used least recently. A key longer than a sixteenth of all is not kept. */
export function createLruCache<V>(options: LruOptions<V>): LruCache<V> {
  const { maxEntries, maxKeyLength = Number.POSITIVE_INFINITY, onEvict } = options
  const entries = new Map<string, V>()
  let keyLength = 0
  const remove = (key: string) => {
    if (entries.delete(key)) keyLength -= key.length
  }
  return {
    get size() {
      return entries.size
    },
    get(key) {
      const value = entries.get(key)
      if (value === undefined) return undefined
      entries.delete(key)
      entries.set(key, value)
      return value
    },
    set(key, value) {
      remove(key)
      if (key.length > maxKeyLength / 16) return
      entries.set(key, value)
      keyLength += key.length
      for (const [oldest, evicted] of entries) {
        if (entries.size <= maxEntries && keyLength <= maxKeyLength) break
        remove(oldest)
        onEvict?.(evicted)
      }
    },
    delete: remove,
    clear() {
      entries.clear()
      keyLength = 0
    },
  }
}
