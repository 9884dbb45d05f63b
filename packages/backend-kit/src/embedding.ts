import { EmbeddingLayout, type EmbeddingResult, type PartialMessage } from '@svc/backend-client/proto'

/** The vectors of one text. */
export interface Embedded {
  /** One for the text or, unpooled, one for each token, special tokens included; all of one dimension. */
  readonly vectors: readonly Float32Array[]
  /** Whether there is a vector for each token. */
  readonly perToken: boolean
  /** Tokens read, special tokens included. */
  readonly promptTokens: number
}

/**
 * Builds the answer to Embedding: a table of `tokens` times `dim` numbers, row by row, with the meaning of its rows.
 */
export function toEmbeddingResult({ vectors, perToken, promptTokens }: Embedded): PartialMessage<EmbeddingResult> {
  return {
    embeddings: vectors.flatMap((vector) => Array.from(vector)),
    tokens: vectors.length,
    dim: vectors[0]?.length ?? 0,
    promptTokens,
    layout: perToken ? EmbeddingLayout.EMBEDDING_LAYOUT_PER_TOKEN : EmbeddingLayout.EMBEDDING_LAYOUT_FINAL,
  }
}
