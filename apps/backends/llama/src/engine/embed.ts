import { type Embedded, normalizeVector, type SlotPool } from '@svc/backend-kit'
import type { LlamaEmbeddingContext, Token } from 'node-llama-cpp'
import { invalidRequest } from '../errors.ts'
import { completeEmbeddingInput, type NativeContext } from './native.ts'

/** Computes vectors of texts, one at a time. */
export interface Embedder {
  readonly pool: SlotPool<LlamaEmbeddingContext>
  readonly context: NativeContext
  /** Tokenizes a text without marks at its ends. */
  readonly tokenize: (text: string) => Token[]
  /** Most tokens of one text, marks at its ends included. */
  readonly contextSize: number
  /** Scaling of vectors, see {@link normalizeVector}. */
  readonly norm: number
  /** Whether a text has a vector for each of its tokens instead of one for the whole; only for causal models. */
  readonly perToken: boolean
}

/** A text, or its tokens. */
export type EmbedInput = string | readonly Token[]

/** Options of {@link embed}. */
export interface EmbedOptions {
  /** Whether a text that is too long loses its end. @default it is refused */
  readonly truncates?: boolean | undefined
  readonly signal: AbortSignal
}

/** Computes the vectors of a text. @throws LlamaError `invalid_request` when it is empty or too long */
export async function embed(
  embedder: Embedder,
  input: EmbedInput,
  { truncates = false, signal }: EmbedOptions,
): Promise<Embedded> {
  if (input.length === 0) throw invalidRequest('there is no text to embed', 'Embeddings')
  const lease = await embedder.pool.acquire({ signal })
  try {
    const given = typeof input === 'string' ? embedder.tokenize(input) : input
    const limit = embedder.contextSize - 1
    const whole = completeEmbeddingInput(lease.slot, given)
    const surplus = whole.length - limit
    const tokens =
      surplus > 0 && truncates && surplus < given.length
        ? completeEmbeddingInput(lease.slot, given.slice(0, -surplus))
        : whole
    if (tokens.length > limit) {
      throw invalidRequest(`the text has ${tokens.length} tokens, this model embeds up to ${limit}`, 'Embeddings')
    }
    const vectors = embedder.perToken
      ? await readTokenVectors(embedder, tokens, signal)
      : [Float32Array.from((await lease.slot.getEmbeddingFor([...tokens])).vector)]
    const { norm, perToken } = embedder
    return { vectors: vectors.map((vector) => normalizeVector(vector, norm)), perToken, promptTokens: tokens.length }
  } finally {
    lease.release()
  }
}

/** Reads tokens one by one, because the engine only returns the vector of the last token in a batch. */
async function readTokenVectors(
  { context }: Embedder,
  tokens: readonly Token[],
  signal: AbortSignal,
): Promise<Float32Array[]> {
  const vectors: Float32Array[] = []
  try {
    for (const [place, token] of tokens.entries()) {
      signal.throwIfAborted()
      context.initBatch(1)
      context.addToBatch(0, place, Uint32Array.of(token), Uint32Array.of(0))
      await context.decodeBatch()
      vectors.push(Float32Array.from(context.getEmbedding(1)))
    }
  } finally {
    context.disposeSequence(0)
  }
  return vectors
}
