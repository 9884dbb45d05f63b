import { type JsonNode, parseJson } from '@svc/json'

/**
 * The texts of parts of JSON as they were written, so that numbers too long for a double survive. The text of a missing
 * part is undefined; JSON that nests too deep has no texts.
 *
 * @param list gives the parts
 */
export function readSources(
  json: string | Uint8Array,
  list: (root: JsonNode) => readonly (JsonNode | undefined)[],
): readonly (string | undefined)[] {
  try {
    const { root } = parseJson(typeof json === 'string' ? new TextEncoder().encode(json) : json)
    return list(root).map((node) => node?.rawText())
  } catch {
    return []
  }
}
