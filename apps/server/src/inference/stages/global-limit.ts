import { SvcError } from '@svc/errors'
import type { SlotCounter } from '../admission.ts'
import type { Stages } from '../pipeline.ts'

/** The global limit of concurrent inference (§8). A request holds a slot until its reply has ended. */
export function createGlobalLimit(slots: SlotCounter, limit: number): Stages['globalLimit'] {
  return (cleanup) => {
    const release = slots.take(limit)
    if (release === undefined) {
      throw new SvcError(
        'rate_limited',
        `backend inference capacity reached (max_concurrent=${limit}); retry after 1s`,
        {
          code: 'capacity_reached',
          retryAfterMs: 1000,
          details: { type: 'rate_limit_error' },
        },
      )
    }
    cleanup.add(release)
  }
}
