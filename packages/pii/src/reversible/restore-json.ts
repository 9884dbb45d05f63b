import { checkArgument, isTypedArray } from '@svc/errors'
import { applySplices, JsonError, type JsonNode, parseJson, type Splice, walkStrings } from '@svc/json'
import { restoreText } from './lane-restorer.ts'
import type { TokenMap } from './token-map.ts'

/** Log probabilities report the tokens that the model wrote: they stay unchanged. */
const LEFT_ALONE = 'logprobs'
/** Strings under this name are JSON text in every format. */
const JSON_TEXT = 'arguments'

/** A reply may nest and hold more than a request. */
const REPLY_LIMITS = { maxDepth: 1_000, maxNodes: 10_000_000 }

/**
 * Restores the values of a whole JSON reply, in any of the formats, including errors. Returns the same bytes when they
 * hold no token or are not JSON; strings without a token stay byte for byte.
 */
export function restoreJsonBody(map: TokenMap, bytes: Uint8Array): Uint8Array {
  checkArgument(isTypedArray(bytes, 'Uint8Array'), 'restoreJsonBody: bytes', 'a Uint8Array', bytes)
  if (map.size === 0) return bytes
  const root = parseReply(bytes)
  return root === undefined ? bytes : applySplices(bytes, restoreStrings(map, root))
}

const encoder = new TextEncoder()

/** Encodes a text as a string of JSON. Halves of surrogate pairs, at which deltas may be cut, stay escapes. */
export function encodeText(text: string): Uint8Array {
  return encoder.encode(JSON.stringify(text))
}

/** Parses JSON bytes and returns the root; undefined for anything else. */
export function parseReply(bytes: Uint8Array): JsonNode | undefined {
  try {
    return parseJson(bytes, REPLY_LIMITS).root
  } catch (error) {
    if (error instanceof JsonError) return undefined
    throw error
  }
}

/**
 * The edits that restore values in every whole string of a reply, keys included.
 *
 * @param except indexes of nodes to leave unchanged
 */
export function restoreStrings(map: TokenMap, root: JsonNode, except?: ReadonlySet<number>): Splice[] {
  const splices: Splice[] = []
  for (const leaf of walkStrings(root)) {
    const { node, role } = leaf
    if (except?.has(node.index)) continue
    const text = node.text()
    // In JSON text a token may be escaped from its first character on.
    if (!map.matcher.mayHold(text) && !text.includes('\\')) continue
    const path = leaf.path()
    const kind = role === 'value' && path.at(-1) === JSON_TEXT ? 'json' : 'text'
    const restored = restoreText(map, text, kind)
    if (restored === text || path.includes(LEFT_ALONE)) continue
    splices.push({ start: node.start, end: node.end, replacement: encodeText(restored) })
  }
  return splices
}
