import { BackendDefinition } from '../gen/backend.ts'
import { unary } from '../method.ts'

const { fullName, methods } = BackendDefinition

/** Documents by relevance. */
export const rerankMethods = {
  /** Scores documents against a query. */
  rerank: unary(fullName, methods.rerank),
} as const
