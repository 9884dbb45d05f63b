import type { AuditSink } from '../../audit/audit-event.ts'
import { fullModelWaitMs, type ModelSlots, rejectAdmission } from '../admission.ts'
import type { Stage } from '../pipeline.ts'

/** The limit of the resolved model (`max_concurrent`, §2.9): a slot is held until the reply has ended. */
export function modelLimitStage(slots: ModelSlots, audit: AuditSink): Stage {
  return (exchange) => {
    const { name, limits } = exchange.model
    const limit = limits.maxConcurrent
    const release = slots.take(name, limit)
    if (release === undefined) {
      const retryAfterMs = fullModelWaitMs(limits)
      const why = ` (max_concurrent=${limit})`
      throw rejectAdmission({ model: name, call: exchange.call, why, retryAfterMs }, audit)
    }
    exchange.atEnd(release)
    return undefined
  }
}
