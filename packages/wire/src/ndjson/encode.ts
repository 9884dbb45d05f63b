import { toLineOfJson } from '../json-text.ts'

/**
 * A value as one line of `application/x-ndjson`, with its line break.
 *
 * @throws TypeError for a value without a JSON text
 */
export function encodeNdjson(value: unknown): string {
  return `${toLineOfJson(value)}\n`
}
