import { SvcError } from '@svc/errors'
import { UpstreamStatusError } from '../upstream-error.ts'

/**
 * What a failure of one target means for the request and for the target (§6.5):
 *
 * - `down`: ask the next one, this one counts a failure;
 * - `resting`: ask the next one, this one rests for as long as it asked;
 * - `skipped`: ask the next one, nothing is held against this one;
 * - `final`: the caller gets it, nobody else is asked.
 */
export type Verdict = 'down' | 'resting' | 'skipped' | 'final'

/** Code of the failure that passes a target over: it is disabled, or not there. */
export const TARGET_SKIPPED = 'failover_target_skipped'

/** Code of the failure that passes a target over which serves all that it may at a time. */
export const TARGET_FULL = 'failover_target_full'

/** What a failure before the first content means. */
export function verdictOf(error: unknown): Verdict {
  if (!SvcError.is(error)) return 'final'
  if (error.code === TARGET_SKIPPED || error.code === TARGET_FULL) return 'skipped'
  if (error instanceof UpstreamStatusError) return verdictOfStatus(error.status)
  switch (error.kind) {
    case 'unavailable':
    case 'upstream_failed':
    case 'timeout':
      return 'down'
    case 'rate_limited':
      return 'resting'
    case 'not_implemented':
      return 'skipped'
    default:
      return 'final'
  }
}

function verdictOfStatus(status: number): Verdict {
  if (status === 501) return 'skipped'
  if (status === 429) return 'resting'
  return status >= 500 ? 'down' : 'final'
}
