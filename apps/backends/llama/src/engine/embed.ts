import type { LlamaEmbeddingContext, Token } from 'node-llama-cpp'
import { invalidRequest } from '../errors.ts'
import type { SlotPool } from './sequences.ts'

/** Makes vectors of texts, one at a time. */
export interface Embedder {
  readonly pool: SlotPool<LlamaEmbeddingContext>
  /** Most tokens of one text, marks at its ends included. */
  readonly contextSize: number
  /** How vectors are scaled, see {@link normalize}. */
  readonly norm: number
}

/** The vector of one text. */
export interface Embedded {
  readonly vector: readonly number[]
  /** Tokens read, marks at the ends included. */
  readonly promptTokens: number
}

/** A text, given as such or as tokens. */
export type EmbedInput = string | readonly Token[]

/** The vector of a text. @throws LlamaError `invalid_request` where it is empty or too long */
export async function embed(
  embedder: Embedder,
  input: EmbedInput,
  { signal }: { readonly signal: AbortSignal },
): Promise<Embedded> {
  if (input.length === 0) throw invalidRequest('there is no text to embed', 'Embeddings')
  const lease = await embedder.pool.acquire({ signal })
  try {
    // The engine adds the marks to the very list it is given.
    const copy = (): string | Token[] => (typeof input === 'string' ? input : [...input])
    const promptTokens = lease.slot.calculateInputLength(copy())
    if (promptTokens >= embedder.contextSize) {
      const limit = embedder.contextSize - 1
      throw invalidRequest(`the text has ${promptTokens} tokens, this model embeds up to ${limit}`, 'Embeddings')
    }
    const { vector } = await lease.slot.getEmbeddingFor(copy())
    return { vector: normalize(vector, embedder.norm), promptTokens }
  } finally {
    lease.release()
  }
}

/**
 * Scales a vector: below 0 not at all, 0 to a largest absolute value of 32760, else to length 1 under the p-norm of
 * that p (2: Euclid). A vector of zeros stays one.
 */
export function normalize(vector: readonly number[], norm: number): number[] {
  if (norm < 0) return [...vector]
  const length = norm === 0 ? largest(vector) / 32_760 : pNorm(vector, norm)
  return vector.map((value) => (length > 0 ? value / length : 0))
}

function largest(vector: readonly number[]): number {
  return vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
}

function pNorm(vector: readonly number[], p: number): number {
  return vector.reduce((sum, value) => sum + Math.abs(value) ** p, 0) ** (1 / p)
}
