import { SvcError } from '@svc/errors'
import { UpstreamStatusError } from '../upstream-error.ts'

/**
 * Consequence of a target's failure for the request and for the target (§6.5):
 *
 * - `down`: ask the next target and count a failure;
 *
 * - `resting`: ask the next target; this one rests for as long as it asked;
 *
 * - `skipped`: ask the next target and count no failure;
 *
 * - `final`: throw to the caller and ask no other target.
 */
export type Verdict = 'down' | 'resting' | 'skipped' | 'final'

/** Code of the failure of a disabled or missing target, which is skipped. */
export const TARGET_SKIPPED = 'failover_target_skipped'

/** Code of the failure of a target at its model limit, which is skipped. */
export const TARGET_FULL = 'failover_target_full'

/** Classifies a failure before the first content. */
export function toVerdict(error: unknown): Verdict {
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
