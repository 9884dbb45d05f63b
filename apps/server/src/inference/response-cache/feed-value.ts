import type { Hash } from 'node:crypto'

/** Thrown for a value of which no exact digest can be made. */
export class NoDigest extends Error {}

/**
 * Feeds a value to a digest, so that two values give the same bytes only if they are equal. Every part carries its kind
 * and length. Keys keep their order: the order of a schema's keys decides over the form of an answer.
 *
 * @throws {NoDigest} for functions and instances of classes, whose state cannot be seen
 */
export function feedValue(hash: Hash, value: unknown): void {
  switch (typeof value) {
    case 'string':
      hash.update(`s${value.length}:`)
      // UTF-8 would make one character of all lone surrogates.
      hash.update(value, 'utf16le')
      return
    case 'number':
      hash.update(Object.is(value, -0) ? 'n-0;' : `n${value};`)
      return
    case 'boolean':
    case 'bigint':
      hash.update(`${typeof value}${value};`)
      return
    case 'undefined':
      hash.update('u;')
      return
    case 'object':
      feedObject(hash, value)
      return
    default:
      throw new NoDigest(`a ${typeof value} has no digest`)
  }
}

function feedObject(hash: Hash, value: object | null): void {
  if (value === null) {
    hash.update('0;')
    return
  }
  if (Array.isArray(value)) {
    hash.update(`a${value.length}:`)
    for (const item of value) feedValue(hash, item)
    return
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) throw new NoDigest('an instance has no digest')
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  hash.update(`o${entries.length}:`)
  for (const [key, item] of entries) {
    feedValue(hash, key)
    feedValue(hash, item)
  }
}
