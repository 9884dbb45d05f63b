import { BackendDefinition } from '../gen/backend.ts'
import { unary } from '../method.ts'

const { fullName, methods } = BackendDefinition

/** Embeddings. */
export const embedMethods = {
  /** Vector of one text (Embeddings) or of one token list (EmbeddingTokens). */
  embedding: unary(fullName, methods.embedding),
} as const
