import { SvcError } from '@svc/errors'
import { type ComparisonFilter, comparisonFilter } from '@svc/wire/openai'
import { parseBody } from '@svc/wire/parse-body'
import { unparsable } from '../inference/documents/unparsable.ts'
import type { Attributes } from './document-store.ts'

/** Tells whether the attributes of a file pass a filter. */
export type AttributeFilter = (attributes: Attributes) => boolean

const MAX_DEPTH = 8
const MAX_COMPARISONS = 128

/**
 * Reads a filter: comparisons, joined by `and` and `or` up to 8 deep. An attribute that a file does not have is not equal
 * to anything.
 *
 * @throws {SvcError} `invalid_request` naming the part at fault
 */
export function readAttributeFilter(filter: unknown): AttributeFilter {
  let comparisons = 0

  function read(part: unknown, param: string, depth: number): AttributeFilter {
    if (depth > MAX_DEPTH) throw unparsable(`${param}: filters may be ${MAX_DEPTH} deep`, param)
    if (isJoined(part)) {
      if (!Array.isArray(part.filters) || part.filters.length === 0) {
        throw unparsable(`${param}.filters: must be a list of filters`, `${param}.filters`)
      }
      if (part.filters.length > MAX_COMPARISONS) throw tooMany()
      const parts = part.filters.map((each, index) => read(each, `${param}.filters[${index}]`, depth + 1))
      return part.type === 'and'
        ? (attributes) => parts.every((passes) => passes(attributes))
        : (attributes) => parts.some((passes) => passes(attributes))
    }
    comparisons += 1
    if (comparisons > MAX_COMPARISONS) throw tooMany()
    return toComparison(readComparison(part, param), param)
  }
  return read(filter, 'filters', 1)
}

function tooMany(): SvcError {
  return unparsable(`filters: at most ${MAX_COMPARISONS} comparisons`, 'filters')
}

function isJoined(part: unknown): part is { readonly type: 'and' | 'or'; readonly filters: unknown } {
  if (typeof part !== 'object' || part === null || !('type' in part)) return false
  return part.type === 'and' || part.type === 'or'
}

function readComparison(part: unknown, param: string): ComparisonFilter {
  try {
    return parseBody(comparisonFilter, part)
  } catch (error) {
    if (!SvcError.is(error)) throw error
    const at = error.details?.param === undefined ? param : `${param}.${error.details.param}`
    const reason = error.message.slice(error.message.indexOf(': ') + 1).trim()
    throw unparsable(`${at}: ${reason}`, at)
  }
}

type Value = string | number | boolean

function toComparison({ type, key, value }: ComparisonFilter, param: string): AttributeFilter {
  const read = (attributes: Attributes): Value | undefined =>
    Object.hasOwn(attributes, key) ? attributes[key] : undefined
  if (type === 'in' || type === 'nin') {
    if (!Array.isArray(value)) throw unparsable(`${param}.value: must be a list`, `${param}.value`)
    const wanted = new Set<unknown>(value)
    return (attributes) => wanted.has(read(attributes)) === (type === 'in')
  }
  if (Array.isArray(value)) throw unparsable(`${param}.value: must not be a list`, `${param}.value`)
  if (type === 'eq') return (attributes) => read(attributes) === value
  if (type === 'ne') return (attributes) => read(attributes) !== value
  return (attributes) => compare(read(attributes), value, type)
}

/** Compares numbers with numbers, and texts with texts by their code points. */
function compare(own: Value | undefined, value: Value, type: 'gt' | 'gte' | 'lt' | 'lte'): boolean {
  if (own === undefined || typeof own !== typeof value || typeof own === 'boolean') return false
  if (own === value) return type === 'gte' || type === 'lte'
  return own > value === type.startsWith('g')
}
