import type { RuleCount } from '../ports/usage.ts'
import { windowEnd } from '../quotas/windows.ts'

/** What is left of a bound. */
export interface BoundFigures {
  readonly limit: number
  readonly remaining: number
  /** Time at which all of it is there again, milliseconds since the epoch. */
  readonly resetsAt: number
}

/** The tightest bound of each kind that a request stands under. */
export interface LimitFigures {
  readonly requests?: BoundFigures | undefined
  readonly tokens?: BoundFigures | undefined
  /** Whole millionths. */
  readonly cost?: BoundFigures | undefined
}

/** Picks the tightest bound of each kind. */
export function toLimitFigures(counts: readonly RuleCount[]): LimitFigures {
  const found: { -readonly [Kind in keyof LimitFigures]: LimitFigures[Kind] } = {}
  for (const { rule, counter } of counts) {
    const resetsAt = windowEnd(rule, counter)
    const take = (kind: keyof LimitFigures, limit: number | undefined, used: number): void => {
      if (limit === undefined) return
      const remaining = Math.max(0, limit - used)
      const before = found[kind]
      if (before === undefined || remaining < before.remaining) found[kind] = { limit, remaining, resetsAt }
    }
    take('requests', rule.maxRequests, counter.requests)
    take('tokens', rule.maxTokens, counter.tokens)
    take('cost', rule.maxCostMicros, counter.costMicros ?? 0)
  }
  return found
}
