import { BackendDefinition } from '../gen/backend.ts'
import { unary } from '../method.ts'

const { fullName, methods } = BackendDefinition

/** Candidates as continuations. */
export const scoreMethods = {
  /** Log probability of each candidate as continuation of a prompt. */
  score: unary(fullName, methods.score),
} as const
