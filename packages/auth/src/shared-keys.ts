import { hash, timingSafeEqual } from 'node:crypto'

/** The shared keys of §2.4. */
export interface SharedKeys {
  readonly count: number
  replace(keys: readonly string[]): void
  /** Whether a value is one of the keys. The time does not depend on which key it is like, and how much. */
  includes(value: string): boolean
  /** The hashes of the keys, for sessions that stand for one. */
  hasHash(hash: string, toHash: (key: string) => string): boolean
}

const digest = (value: string): Buffer => hash('sha256', value, 'buffer')

/** Shared keys. Digests of equal length are compared, all of them each time (threats AU-5). */
export function createSharedKeys(initial: readonly string[] = []): SharedKeys {
  let keys = initial.filter((key) => key !== '')
  let digests = keys.map(digest)
  return {
    get count() {
      return keys.length
    },
    replace(next) {
      keys = next.filter((key) => key !== '')
      digests = keys.map(digest)
    },
    includes(value) {
      const presented = digest(value)
      let matches = 0
      for (const key of digests) matches += timingSafeEqual(key, presented) ? 1 : 0
      return matches > 0
    },
    hasHash(wanted, toHash) {
      const expected = digest(wanted)
      let matches = 0
      for (const key of keys) matches += timingSafeEqual(digest(toHash(key)), expected) ? 1 : 0
      return matches > 0
    },
  }
}
