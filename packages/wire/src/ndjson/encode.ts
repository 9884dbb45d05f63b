import { toLineOfJson } from '../json-text.ts'

/**
 * A value as one line of `application/x-ndjson`, with its line break.
 *
 * @throws TypeError when the value has no JSON text
 */
export function encodeNdjson(value: unknown): string {
  return `${toLineOfJson(value)}\n`
}
