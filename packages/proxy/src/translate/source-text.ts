import { type JsonNode, parseJson } from '@svc/json'

/**
 * The text of a part of JSON as it was written, so that numbers too long for a double survive. Undefined when the part is
 * missing or the JSON nests too deep.
 */
export function readSource(
  json: string | Uint8Array,
  find: (root: JsonNode) => JsonNode | undefined,
): string | undefined {
  try {
    return find(parseJson(typeof json === 'string' ? new TextEncoder().encode(json) : json).root)?.rawText()
  } catch {
    return undefined
  }
}
