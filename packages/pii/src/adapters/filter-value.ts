import { defaultDetectors } from '../default-detectors.ts'
import type { Detector } from '../detector.ts'
import { PiiError, piiBlocked } from '../errors.ts'
import { type FilterBodyOptions, filterBody } from '../filter-body.ts'
import type { TokenMap } from '../reversible/token-map.ts'
import { isFields } from './json-value.ts'

/** Options of filtering in a program: each has a default. */
export interface ValueOptions extends Omit<FilterBodyOptions, 'detectors' | 'format' | 'correlationId'> {
  /** @default every built-in secret and structured text */
  readonly detectors?: readonly Detector[] | undefined
}

/** Options of filtering the requests of a conversation, whose replies are restored. */
export interface ConversationOptions extends Omit<ValueOptions, 'reversible'> {
  /** The form of tokens; `false` writes fixed masks, which nothing restores. @default {} */
  readonly reversible?: ValueOptions['reversible'] | false
}

/** A filtered value. */
export interface FilteredValue<T> {
  readonly value: T
  /** Restores values in the reply; undefined unless tokens were asked for and written. */
  readonly tokens: TokenMap | undefined
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * Filters a value of a program as the body that it becomes in JSON. Parts that are not JSON, such as bytes, dates and
 * addresses (`URL`), are kept as they are and are not scanned; members without a value are left out.
 *
 * @throws SvcError `pii_blocked` when a policy refuses it, `pii_unclear_body` for a value that cannot be filtered,
 *   `pii_ner_unavailable` when a detector fails: nothing of the value may go on then
 */
export async function filterValue<T>(
  value: T,
  { detectors = defaultDetectors(), ...options }: ValueOptions & Pick<FilterBodyOptions, 'format'>,
): Promise<FilteredValue<T>> {
  const text = encode(value)
  if (text === undefined) return { value, tokens: undefined }
  const filtered = await filterBody(encoder.encode(text), { ...options, detectors })
  if (filtered.blocked) throw piiBlocked()
  const { body, tokens } = filtered
  return { value: putBack(value, JSON.parse(decoder.decode(body))) as T, tokens }
}

function encode(value: unknown): string | undefined {
  try {
    return JSON.stringify(toPlain(value, 0))
  } catch (error) {
    if (error instanceof PiiError) throw error
    throw unclear('it cannot be written as JSON')
  }
}

/** Deeper values are refused, and so are cycles. */
const MAX_DEPTH = 100

/** A copy with nothing but JSON: `null` stands for parts that are not. */
function toPlain(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) throw unclear(`it is more than ${MAX_DEPTH} deep`)
  if (Array.isArray(value)) return value.map((item) => toPlain(item, depth + 1))
  if (isFields(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toPlain(member, depth + 1)]))
  }
  return isForeign(value) ? null : value
}

/** The filtered value with the parts that are not JSON. */
function putBack(value: unknown, filtered: unknown): unknown {
  if (isForeign(value)) return value
  if (!holdsForeign(value)) return filtered
  if (Array.isArray(value) && Array.isArray(filtered)) return value.map((item, index) => putBack(item, filtered[index]))
  if (!isFields(value) || !isFields(filtered)) return filtered
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => {
      if (member === undefined) return []
      if (!Object.hasOwn(filtered, key)) throw unclear('a name beside bytes or a date is private')
      return [[key, putBack(member, filtered[key])]]
    }),
  )
}

function holdsForeign(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsForeign)
  return isFields(value) ? Object.values(value).some(holdsForeign) : isForeign(value)
}

/** Whether a value is not one of JSON: an object with a class, a function, a symbol or a big number. */
function isForeign(value: unknown): boolean {
  if (value === null || Array.isArray(value)) return false
  if (typeof value === 'object') return !isFields(value)
  return typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint'
}

function unclear(why: string): PiiError {
  return new PiiError('invalid_request', `the value cannot be filtered: ${why}`, { code: 'pii_unclear_body' })
}
