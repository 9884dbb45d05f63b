import type { AuditSink } from '../../monitoring/recorders.ts'
import { admissionRejected, fullModelWaitMs, type ModelSlots } from '../admission.ts'
import type { Stage } from '../pipeline.ts'

/** The cap of the resolved model (`max_concurrent`, §2.9): a slot is held until the reply has ended. */
export function capStage(slots: ModelSlots, audit: AuditSink): Stage {
  return (exchange) => {
    const { name, limits } = exchange.model
    const limit = limits.maxConcurrent
    const release = slots.take(name, limit)
    if (release === undefined) {
      audit.record({ kind: 'admission', model: name, correlationId: exchange.call.requestId, statusCode: 429 })
      throw admissionRejected(name, ` (max_concurrent=${limit})`, fullModelWaitMs(limits))
    }
    exchange.atEnd(release)
    return undefined
  }
}
