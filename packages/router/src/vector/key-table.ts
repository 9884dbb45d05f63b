import type { RowStorage } from './kernel.ts'

/** Finds the row of a key with exactly these floats. */
export interface KeyTable {
  find(key: Float32Array): number | undefined
  add(key: Float32Array, row: number): void
  remove(key: Float32Array, row: number): void
  clear(): void
}

/** A table over the rows of a storage. It keeps a hash of each key and compares with the row itself. */
export function createKeyTable(storage: RowStorage, dimension: number): KeyTable {
  const rowsByHash = new Map<number, number | number[]>()
  const hash = createSecretHash(dimension)
  const isRow = (key: Float32Array, row: number) => {
    const floats = storage.row(row)
    return key.every((value, index) => value === floats[index])
  }
  return {
    find(key) {
      const rows = rowsByHash.get(hash(key))
      if (rows === undefined) return undefined
      if (typeof rows === 'number') return isRow(key, rows) ? rows : undefined
      return rows.find((row) => isRow(key, row))
    },
    add(key, row) {
      const hashed = hash(key)
      const rows = rowsByHash.get(hashed)
      if (rows === undefined) rowsByHash.set(hashed, row)
      else if (typeof rows === 'number') rowsByHash.set(hashed, [rows, row])
      else rows.push(row)
    },
    remove(key, row) {
      const hashed = hash(key)
      const rows = rowsByHash.get(hashed)
      if (rows === row || rows === undefined) rowsByHash.delete(hashed)
      else if (typeof rows !== 'number') {
        const rest = rows.filter((other) => other !== row)
        const [only] = rest
        if (rest.length === 1 && only !== undefined) rowsByHash.set(hashed, only)
        else rowsByHash.set(hashed, rest)
      }
    },
    clear: () => rowsByHash.clear(),
  }
}

/** Random 32-bit numbers of the platform; its types belong to browsers. */
interface RandomSource {
  getRandomValues(numbers: Int32Array): Int32Array
}

/**
 * Creates a hash that nobody outside can predict, so that chosen keys do not share one: two sums of the halves of all
 * words, each half times a secret number. Two different keys have the same upper half of a sum with a chance of 2^-16.
 */
export function createSecretHash(dimension: number): (key: Float32Array) => number {
  const { crypto } = globalThis as unknown as { readonly crypto: RandomSource }
  const secrets = new Int32Array(dimension * 4)
  // The platform gives at most 65,536 bytes a call.
  for (let at = 0; at < secrets.length; at += RANDOM_NUMBERS_PER_CALL) {
    crypto.getRandomValues(secrets.subarray(at, at + RANDOM_NUMBERS_PER_CALL))
  }
  return (key) => {
    const words = new Int32Array(key.buffer, key.byteOffset, key.length)
    let one = 0
    let other = 0
    for (let index = 0, at = 0; index < words.length; index++) {
      const word = words[index] ?? 0
      const [low, high] = [word & 0xffff, word >>> 16]
      one = (one + Math.imul(low, secrets[at++] ?? 0) + Math.imul(high, secrets[at++] ?? 0)) | 0
      other = (other + Math.imul(low, secrets[at++] ?? 0) + Math.imul(high, secrets[at++] ?? 0)) | 0
    }
    return (one & 0xffff_0000) | (other >>> 16)
  }
}

const RANDOM_NUMBERS_PER_CALL = 16_384

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
