import { restoreText, type TokenMap } from '@svc/pii/reversible'

/** Puts masked values back into every text of a JSON value. */
export function restoreValue(map: TokenMap, value: unknown): unknown {
  if (typeof value === 'string') return restoreText(map, value)
  if (Array.isArray(value)) return value.map((item) => restoreValue(map, item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, restoreValue(map, item)]))
}
