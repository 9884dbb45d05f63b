import { BackendService, ScoreRequest, ScoreResponse } from '../gen/backend.ts'
import { unary } from '../method.ts'

/** Candidates as continuations. */
export const scoreMethods = {
  /** Log probability of each candidate as continuation of a prompt. */
  score: unary(BackendService.score, ScoreRequest, ScoreResponse),
} as const
