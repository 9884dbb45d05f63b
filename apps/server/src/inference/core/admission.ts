import { SvcError } from '@svc/errors'
import type { AuditSink } from '../../audit/audit-event.ts'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { MaybePromise } from '../../ports.ts'
import type { RequestContext } from './ports.ts'

/** Gives a slot back. A second call does nothing. */
export type Release = () => void

/** A request that takes a slot. */
export type SlotTaker = Pick<RequestContext, 'signal'>

/** Counts concurrent requests against a limit. */
export interface SlotCounter {
  /**
   * Takes a slot; undefined when all are taken. A limit of 0 means no limit. A counter of several machines may wait, no
   * longer than until the signal aborts: it then rejects with the reason and holds no slot.
   */
  take(limit: number, taker: SlotTaker): MaybePromise<Release | undefined>
}

/** Counts the requests of this process. Nothing queues or waits. */
export interface LocalSlotCounter extends SlotCounter {
  take(limit: number, taker?: SlotTaker): Release | undefined
  readonly taken: number
}

/** Makes a counter of the slots of this process. */
export function createSlotCounter(): LocalSlotCounter {
  return new Counter()
}

class Counter implements LocalSlotCounter {
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
  /** Takes a slot of a model, as {@link SlotCounter.take} does. */
  take(model: string, limit: number, taker: SlotTaker): MaybePromise<Release | undefined>
}

/** The slots of this process. Nothing queues or waits. */
export interface LocalModelSlots extends ModelSlots {
  take(model: string, limit: number, taker?: SlotTaker): Release | undefined
  taken(model: string): number
}

/** Maximum number of idle models that keep a counter. */
const MAX_IDLE = 4096

function dropIdle(counters: Map<string, LocalSlotCounter>): void {
  for (const [model, { taken }] of counters) if (taken === 0) counters.delete(model)
}

/** Makes the slots of all models in this process. */
export function createModelSlots(): LocalModelSlots {
  const counters = new Map<string, LocalSlotCounter>()
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

/** Calls `use` with a slot, at once where the slot is there. */
export function withSlot<Value>(
  taken: MaybePromise<Release | undefined>,
  use: (release: Release | undefined) => Value,
): MaybePromise<Value> {
  return taken instanceof Promise ? taken.then(use) : use(taken)
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
