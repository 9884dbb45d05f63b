import { PiiError } from '../errors.ts'
import { isFields } from './json-value.ts'

/** Deeper values are refused, and so are cycles. */
const MAX_DEPTH = 100

/**
 * A value as JSON has it: plain objects, arrays, texts, numbers and `null`. An object with a class becomes what it is
 * in JSON. Only bytes, dates, addresses (`URL`), functions and the like stay, as leaves.
 *
 * @throws PiiError `pii_unclear_body` for a value that is too deep, or has a cycle
 */
export function toTree(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) throw unclear(`it is more than ${MAX_DEPTH} deep`)
  if (Array.isArray(value)) return value.map((item) => toTree(item, depth + 1))
  if (typeof value !== 'object' || value === null || isLeaf(value)) return value
  if (BOXES.test(Object.prototype.toString.call(value))) return value.valueOf()
  if ('toJSON' in value && typeof value.toJSON === 'function') return toTree(value.toJSON(), depth + 1)
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (member === undefined ? [] : [[key, toTree(member, depth + 1)]])),
  )
}

/** The text of a tree in JSON, with `null` for leaves that JSON does not have. */
export function encodeTree(tree: unknown): string | undefined {
  return JSON.stringify(withoutLeaves(tree))
}

/** A filtered tree with the leaves of the given one. @throws PiiError when the name of one was masked */
export function putBackLeaves(tree: unknown, filtered: unknown): unknown {
  if (isLeaf(tree)) return tree
  if (!hasLeaf(tree)) return filtered
  if (Array.isArray(tree) && Array.isArray(filtered)) {
    return tree.map((item, index) => putBackLeaves(item, filtered[index]))
  }
  if (!isFields(tree) || !isFields(filtered)) return filtered
  return Object.fromEntries(
    Object.entries(tree).map(([key, member]) => {
      if (!Object.hasOwn(filtered, key)) throw unclear('a name beside bytes or a date is private')
      return [key, putBackLeaves(member, filtered[key])]
    }),
  )
}

/** Whether a tree has a leaf that JSON does not have. */
export function hasLeaf(tree: unknown): boolean {
  if (Array.isArray(tree)) return tree.some(hasLeaf)
  return isFields(tree) ? Object.values(tree).some(hasLeaf) : isLeaf(tree)
}

function withoutLeaves(tree: unknown): unknown {
  if (Array.isArray(tree)) return tree.map(withoutLeaves)
  if (!isFields(tree)) return isLeaf(tree) ? null : tree
  return Object.fromEntries(Object.entries(tree).map(([key, member]) => [key, withoutLeaves(member)]))
}

const LEAVES = /^\[object (?:ArrayBuffer|SharedArrayBuffer|Blob|File|Date|URL|ReadableStream)\]$/

/** What JSON writes as the text, the number or the truth value inside. */
const BOXES = /^\[object (?:String|Number|Boolean)\]$/

function isLeaf(value: unknown): boolean {
  if (typeof value !== 'object') return ['function', 'symbol', 'bigint'].includes(typeof value)
  return value !== null && (ArrayBuffer.isView(value) || LEAVES.test(Object.prototype.toString.call(value)))
}

export function unclear(why: string): PiiError {
  return new PiiError('invalid_request', `the value cannot be filtered: ${why}`, { code: 'pii_unclear_body' })
}
