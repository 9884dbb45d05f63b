import { configError } from './config-error.ts'

/** Minimum scores by group, 0..1. */
export type MinScores = Readonly<Record<string, number>>

/** Scores travel in 32 bits, where 0.9 comes out as a little less and 0.6 as a little more. */
const TOLERANCE = 1e-6

/** The minimum scores of a detector. */
export interface ScoreLimits {
  /** The minimum of all groups. */
  readonly least: number
  /** Whether a score is enough in a group. */
  accepts(group: string, score: number): boolean
}

/**
 * Creates the limits of a detector.
 *
 * @param minScore of groups without an entry
 * @throws SvcError `pii_config`, kind `invalid_request`, for a score outside of 0..1
 */
export function createScoreLimits(minScore: number, entityMinScores: MinScores = {}): ScoreLimits {
  const own = new Map(Object.entries(entityMinScores))
  checkScore('min_score', minScore)
  for (const [group, score] of own) checkScore(`entity_min_scores[${JSON.stringify(group)}]`, score)
  return {
    least: Math.max(0, Math.min(minScore, ...own.values()) - TOLERANCE),
    accepts: (group, score) => score >= (own.get(group) ?? minScore) - TOLERANCE,
  }
}

function checkScore(name: string, score: unknown): void {
  if (typeof score === 'number' && score >= 0 && score <= 1) return
  throw configError(`${name}: ${JSON.stringify(score)} is not a score from 0 to 1`)
}
