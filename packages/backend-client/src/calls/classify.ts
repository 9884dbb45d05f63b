import { BackendService, TokenClassifyRequest, TokenClassifyResponse } from '../gen/backend.ts'
import { unary } from '../method.ts'

/** Labelled spans. */
export const classifyMethods = {
  /** Finds labelled spans in a text. */
  tokenClassify: unary(BackendService.tokenClassify, TokenClassifyRequest, TokenClassifyResponse),
} as const
