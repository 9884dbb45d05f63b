import { checkBytes, type JsonLimits, resolveLimits } from './guard.ts'
import { Tokenizer } from './tokenize.ts'
import { JsonDocument } from './tree.ts'

/** The engine optimises a function called often better than a single call that loops for long. */
const BYTES_PER_STEP = 32 * 1024

/**
 * Parses UTF-8 JSON into a tree of byte offsets. Accepts exactly what `JSON.parse` accepts after a fatal UTF-8
 * decoder; a byte order mark is refused. Takes linear time, no recursion.
 *
 * The bytes are kept, not copied: they must not change while the document is in use.
 *
 * @throws SvcError `json_syntax` for anything that is not JSON, `json_limit` past a limit; both `invalid_request`
 *   with `details.offset`
 * @example
 * const { root } = parseJson(new TextEncoder().encode('{"model":"demo"}'))
 * root.get('model')?.text() // demo
 */
export function parseJson(bytes: Uint8Array, limits?: JsonLimits): JsonDocument {
  checkBytes(bytes, 'parseJson: bytes')
  const tokenizer = new Tokenizer(bytes, resolveLimits(limits))
  while (!tokenizer.advance(tokenizer.position + BYTES_PER_STEP));
  return new JsonDocument(tokenizer, tokenizer.nodeCount)
}
