import { BackendService, RerankRequest, RerankResult } from '../gen/backend.ts'
import { unary } from '../method.ts'

/** Documents by relevance. */
export const rerankMethods = {
  /** Scores documents against a query. */
  rerank: unary(BackendService.rerank, RerankRequest, RerankResult),
} as const
