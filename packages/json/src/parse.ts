import { checkBytes, type JsonLimits, resolveLimits } from './guard.ts'
import { runInSlices, type SliceOptions } from './slices.ts'
import { Tokenizer } from './tokenize.ts'
import { JsonDocument } from './tree.ts'

/**
 * Bytes tokenized between two looks at the clock: under a millisecond. The engine also optimises a function called often
 * better than a single call that loops for long.
 */
export const BYTES_PER_STEP = 32 * 1024

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

/**
 * `parseJson` in slices: the same document or error, while other work gets its turn every few milliseconds. A
 * document that fits one slice is parsed without waiting.
 *
 * @throws SvcError as `parseJson` does; the signal's reason once it is aborted
 */
export async function parseJsonCooperatively(
  bytes: Uint8Array,
  limits?: JsonLimits,
  options?: SliceOptions,
): Promise<JsonDocument> {
  checkBytes(bytes, 'parseJsonCooperatively: bytes')
  const tokenizer = new Tokenizer(bytes, resolveLimits(limits))
  const step = () => tokenizer.advance(tokenizer.position + BYTES_PER_STEP)
  // Most documents need one step: there is nothing to wait for.
  options?.signal?.throwIfAborted()
  if (bytes.length >= BYTES_PER_STEP || !step()) await runInSlices(step, options)
  return new JsonDocument(tokenizer, tokenizer.nodeCount)
}
