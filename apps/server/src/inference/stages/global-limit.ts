import { SvcError } from '@svc/errors'
import type { SlotCounter } from '../admission.ts'
import type { Stage } from '../pipeline.ts'

/** The global limit of concurrent inference (§8): a slot is held until the reply has ended. */
export function globalLimitStage(slots: SlotCounter, limit: number): Stage {
  return (exchange) => {
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
    exchange.atEnd(release)
    return undefined
  }
}
