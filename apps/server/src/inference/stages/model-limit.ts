import type { AuditSink } from '../../monitoring/recorders.ts'
import { admissionRejected, fullModelWaitMs, type ModelSlots } from '../admission.ts'
import type { Stage } from '../pipeline.ts'

/** The cap of the resolved model (`max_concurrent`, §2.9): a slot is held until the reply has ended. */
export function modelLimitStage(slots: ModelSlots, audit: AuditSink): Stage {
  return (exchange) => {
    const { name, limits } = exchange.model
    const limit = limits.maxConcurrent
    const release = slots.take(name, limit)
    if (release === undefined) {
      const { requestId: correlationId, principal } = exchange.call
      const retryAfterMs = fullModelWaitMs(limits)
      audit.record({
        kind: 'admission',
        model: name,
        correlationId,
        userId: principal.id,
        statusCode: 429,
        retryAfterMs,
      })
      throw admissionRejected(name, ` (max_concurrent=${limit})`, retryAfterMs)
    }
    exchange.atEnd(release)
    return undefined
  }
}
