import { SvcError } from '@svc/errors'
import type { AuditSink } from '../../monitoring/recorders.ts'
import type { ModelSlots } from '../admission.ts'
import type { Stage } from '../pipeline.ts'

/** The cap of the resolved model (`max_concurrent`, §2.9): a slot is held until the reply has ended. */
export function capStage(slots: ModelSlots, audit: AuditSink): Stage {
  return (exchange) => {
    const { name, limits } = exchange.model
    const limit = limits.maxConcurrent
    const release = slots.take(name, limit)
    if (release === undefined) {
      const seconds = Math.max(1, limits.retryAfterSeconds)
      audit.record({ kind: 'admission', model: name, correlationId: exchange.call.requestId, statusCode: 429 })
      throw new SvcError(
        'rate_limited',
        `model "${name}" is at capacity (max_concurrent=${limit}); retry after ${seconds}s`,
        {
          code: 'admission_rejected',
          retryAfterMs: seconds * 1000,
          details: { type: 'rate_limit_error' },
        },
      )
    }
    exchange.atEnd(release)
    return undefined
  }
}
