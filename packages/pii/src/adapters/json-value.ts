import { restoreText, type TokenMap } from '../reversible/index.ts'

/** A plain object. */
export type JsonFields = Readonly<Record<string, unknown>>

/** Whether a value is a plain object, of this realm or another. */
export function isFields(value: unknown): value is JsonFields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** A copy of a reply, or of a part of it, with its values restored. Parts that are not JSON stay as they are. */
export function restoreValue<T>(tokens: TokenMap, value: T): T {
  return restore(tokens, value) as T
}

/** Under these names a text is the JSON of a call. */
const JSON_TEXTS: ReadonlySet<string> = new Set(['arguments', 'args'])

function restore(tokens: TokenMap, value: unknown, name = ''): unknown {
  if (typeof value === 'string') return restoreText(tokens, value, JSON_TEXTS.has(name) ? 'json' : 'text')
  if (Array.isArray(value)) return value.map((item) => restore(tokens, item))
  if (!isFields(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [restoreText(tokens, key), restore(tokens, member, key)]),
  )
}
