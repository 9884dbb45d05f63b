import { SvcError } from '@svc/errors'
import type { AuditSink } from '../../audit/audit-event.ts'
import {
  type ModelSlots,
  type Release,
  rejectAdmission,
  type SlotCounter,
  toRetryAfterMs,
  withSlot,
} from '../core/admission.ts'
import type { Stages } from '../core/pipeline.ts'

/** The global limit of concurrent inference (§8). A request holds a slot until its reply has ended. */
export function createGlobalLimit(slots: SlotCounter, limit: number): Stages['globalLimit'] {
  return ({ context }, cleanup) => {
    const keep = (release: Release | undefined): void => {
      if (release !== undefined) {
        cleanup.add(release)
        return
      }
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
    return context.isInside === true ? undefined : withSlot(slots.take(limit, context), keep)
  }
}

/** The limit of the resolved model (`max_concurrent`, §2.9). A request holds a slot until its reply has ended. */
export function createModelLimit(slots: ModelSlots, audit: AuditSink): Stages['modelLimit'] {
  return ({ model, context }, cleanup) => {
    const { name, limits } = model
    const limit = limits.maxConcurrent
    const keep = (release: Release | undefined): void => {
      if (release !== undefined) {
        cleanup.add(release)
        return
      }
      const retryAfterMs = toRetryAfterMs(limits)
      const why = ` (max_concurrent=${limit})`
      throw rejectAdmission({ model: name, context, why, retryAfterMs }, audit)
    }
    return withSlot(slots.take(name, limit, context), keep)
  }
}
