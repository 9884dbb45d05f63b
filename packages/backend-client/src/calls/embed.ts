import { BackendService, EmbeddingResult, PredictOptions } from '../gen/backend.ts'
import { unary } from '../method.ts'

/** Embeddings. */
export const embedMethods = {
  /** Vector of one text (Embeddings) or of one token list (EmbeddingTokens). */
  embedding: unary(BackendService.embedding, PredictOptions, EmbeddingResult),
} as const
