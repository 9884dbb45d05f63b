import { hash, timingSafeEqual } from 'node:crypto'
import { checkArgument } from '@svc/errors'

/** The shared keys of §2.4. */
export interface SharedKeys {
  readonly count: number
  replace(keys: readonly string[]): void
  /** Whether a value is one of the keys. The time does not depend on the likeness of the value and a key. */
  includes(value: string): boolean
  /** Whether one of the keys has a hash; for sessions of shared keys. */
  hasHash(hash: string, toHash: (key: string) => string): boolean
}

function readKeys(keys: readonly string[]): readonly string[] {
  const isList = Array.isArray(keys) && keys.every((key) => typeof key === 'string')
  checkArgument(isList, 'createSharedKeys: keys', 'a list of texts', keys)
  return keys.filter((key) => key !== '')
}

const digest = (value: string): Buffer => hash('sha256', value, 'buffer')

/** Shared keys. Digests of equal length are compared, all of them each time (threats AU-5). */
export function createSharedKeys(initial: readonly string[] = []): SharedKeys {
  let keys = readKeys(initial)
  let digests = keys.map(digest)
  return {
    get count() {
      return keys.length
    },
    replace(next) {
      keys = readKeys(next)
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
