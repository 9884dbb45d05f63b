import { checkBytes, type JsonLimits, resolveLimits } from './guard.ts'
import { runInSlices, type SliceOptions } from './slices.ts'
import { type JsonValue, ValueBuilder } from './to-value.ts'
import { Tokenizer } from './tokenize.ts'
import { JsonDocument, type JsonNode } from './tree.ts'

/** Bytes tokenized between two looks at the clock: under a millisecond. */
export const BYTES_PER_STEP = 32 * 1024

/** Tokens turned into values between two looks at the clock. */
const TOKENS_PER_STEP = 1024

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

/**
 * `node.toValue()` in slices. One string is decoded in one go however long it is.
 *
 * @throws the signal's reason once it is aborted
 */
export async function toValueCooperatively(node: JsonNode, options?: SliceOptions): Promise<JsonValue> {
  const builder = new ValueBuilder(node.document, node.index)
  await runInSlices(() => builder.advance(TOKENS_PER_STEP), options)
  return builder.result
}
