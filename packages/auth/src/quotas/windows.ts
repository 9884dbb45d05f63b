import type { QuotaCounter, QuotaRule } from '../ports/usage.ts'

/** Start of the window of a rule that a time lies in, milliseconds since the epoch. Windows follow each other. */
export function windowStart({ createdAt, windowMs }: Pick<QuotaRule, 'createdAt' | 'windowMs'>, now: number): number {
  return createdAt + Math.floor(Math.max(0, now - createdAt) / windowMs) * windowMs
}

/**
 * The counter of a rule at a time. It starts again with each window. A counter of a later window stays, because the
 * clock went back then.
 */
export function currentCounter(rule: QuotaRule, stored: QuotaCounter | undefined, now: number): QuotaCounter {
  const start = windowStart(rule, now)
  if (stored !== undefined && stored.windowStart >= start) return stored
  return { ruleId: rule.id, windowStart: start, requests: 0, tokens: 0 }
}
