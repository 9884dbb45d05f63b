import type { AuditSink } from '../../audit/audit-event.ts'
import { type ModelSlots, rejectAdmission, toRetryAfterMs } from '../admission.ts'
import type { Stages } from '../pipeline.ts'

/** The limit of the resolved model (`max_concurrent`, §2.9). A request holds a slot until its reply has ended. */
export function createModelLimit(slots: ModelSlots, audit: AuditSink): Stages['modelLimit'] {
  return ({ model, context }, cleanup) => {
    const { name, limits } = model
    const limit = limits.maxConcurrent
    const release = slots.take(name, limit)
    if (release === undefined) {
      const retryAfterMs = toRetryAfterMs(limits)
      const why = ` (max_concurrent=${limit})`
      throw rejectAdmission({ model: name, context, why, retryAfterMs }, audit)
    }
    cleanup.add(release)
  }
}
