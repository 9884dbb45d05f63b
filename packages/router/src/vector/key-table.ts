import type { RowStorage } from './kernel.ts'

/** Finds the row of a key with exactly these floats. */
export interface KeyTable {
  find(key: Float32Array): number | undefined
  add(key: Float32Array, row: number): void
  remove(key: Float32Array, row: number): void
  clear(): void
}

/** A table over the rows of a storage. It keeps a hash of each key and compares with the row itself. */
export function createKeyTable(storage: RowStorage): KeyTable {
  const rowsByHash = new Map<number, number | number[]>()
  const isRow = (key: Float32Array, row: number) => {
    const floats = storage.row(row)
    return key.every((value, index) => value === floats[index])
  }
  return {
    find(key) {
      const rows = rowsByHash.get(hashFloats(key))
      if (rows === undefined) return undefined
      if (typeof rows === 'number') return isRow(key, rows) ? rows : undefined
      return rows.find((row) => isRow(key, row))
    },
    add(key, row) {
      const hash = hashFloats(key)
      const rows = rowsByHash.get(hash)
      if (rows === undefined) rowsByHash.set(hash, row)
      else if (typeof rows === 'number') rowsByHash.set(hash, [rows, row])
      else rows.push(row)
    },
    remove(key, row) {
      const hash = hashFloats(key)
      const rows = rowsByHash.get(hash)
      if (rows === row || rows === undefined) rowsByHash.delete(hash)
      else if (typeof rows !== 'number') {
        const rest = rows.filter((other) => other !== row)
        const [only] = rest
        if (rest.length === 1 && only !== undefined) rowsByHash.set(hash, only)
        else rowsByHash.set(hash, rest)
      }
    },
    clear: () => rowsByHash.clear(),
  }
}

/** FNV-1a over the bits of the floats, a word at a time. */
export function hashFloats(key: Float32Array): number {
  const words = new Int32Array(key.buffer, key.byteOffset, key.length)
  let hash = 0x811c9dc5
  for (const word of words) {
    hash = Math.imul(hash ^ word, 0x01000193)
    hash ^= hash >>> 15
  }
  return hash
}
