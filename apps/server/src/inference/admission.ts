import { SvcError } from '@svc/errors'
import type { AuditSink } from '../audit/audit-event.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import type { RequestContext } from './ports.ts'

/** Gives a slot back. A second call does nothing. */
export type Release = () => void

/** Counts concurrent requests against a limit. Nothing queues. */
export interface SlotCounter {
  /** Takes a slot; undefined when all are taken. A limit of 0 means no limit. */
  take(limit: number): Release | undefined
  readonly taken: number
}

/** Makes a counter of slots. */
export function createSlotCounter(): SlotCounter {
  return new Counter()
}

class Counter implements SlotCounter {
  taken = 0

  take(limit: number): Release | undefined {
    if (limit > 0 && this.taken >= limit) return undefined
    this.taken += 1
    let held = true
    return () => {
      if (!held) return
      held = false
      this.taken -= 1
    }
  }
}

/** Slots of each model by name. A changed limit applies from the next take. */
export interface ModelSlots {
  take(model: string, limit: number): Release | undefined
  taken(model: string): number
}

/** Maximum number of idle models that keep a counter. */
const MAX_IDLE = 4096

function dropIdle(counters: Map<string, SlotCounter>): void {
  for (const [model, { taken }] of counters) if (taken === 0) counters.delete(model)
}

/** Makes the slots of all models. */
export function createModelSlots(): ModelSlots {
  const counters = new Map<string, SlotCounter>()
  return {
    taken: (model) => counters.get(model)?.taken ?? 0,
    take(model, limit) {
      const counter = counters.get(model) ?? createSlotCounter()
      const release = counter.take(limit)
      if (release === undefined || counters.has(model)) return release
      if (counters.size >= MAX_IDLE) dropIdle(counters)
      counters.set(model, counter)
      return release
    },
  }
}

/** Converts the wait that a full model asks for to milliseconds. */
export function toRetryAfterMs({ retryAfterSeconds }: ModelConfig['limits']): number {
  return Math.max(1, retryAfterSeconds) * 1000
}

/** A request that finds no slot. */
export interface RejectedAdmission {
  readonly model: string
  readonly context: Pick<RequestContext, 'requestId' | 'principal'>
  /** The part of the message between the model and the wait. */
  readonly why: string
  readonly retryAfterMs: number
}

/** Records a refused request in the audit log. @returns the error to throw */
export function rejectAdmission({ model, context, why, retryAfterMs }: RejectedAdmission, audit: AuditSink): SvcError {
  const { requestId: correlationId, principal } = context
  audit.record([{ kind: 'admission', model, correlationId, userId: principal.id, statusCode: 429, retryAfterMs }])
  return new SvcError('rate_limited', `model "${model}" is at capacity${why}; retry after ${retryAfterMs / 1000}s`, {
    code: 'admission_rejected',
    retryAfterMs,
    details: { type: 'rate_limit_error' },
  })
}
