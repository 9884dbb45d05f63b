import { checkArgument } from '@svc/errors'
import { systemClock } from './clock.ts'
import type { RouterDecision } from './decision.ts'
import type { Clock } from './ports.ts'

/** The request that a decision is about. */
export interface DecidedRequest {
  readonly correlationId: string
  readonly userId: string
  /** The router. */
  readonly routerModel: string
  /** The name that the client asked for: the router, or an alias of it. */
  readonly requestedModel: string
  /** The wire format. */
  readonly source: string
}

/** An entry of the decision log (§2.15). Holds nothing of the prompt. */
export interface DecisionRecord extends DecidedRequest, RouterDecision {
  /** `rd_` and 24 hex digits. */
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** Selects entries of the log. */
export interface DecisionFilter {
  readonly correlationId?: string | undefined
  readonly userId?: string | undefined
  readonly routerModel?: string | undefined
  /** @default 100 */
  readonly limit?: number | undefined
}

/** The most recent decisions. */
export interface DecisionLog {
  readonly size: number
  record(request: DecidedRequest, decision: RouterDecision): DecisionRecord
  /** The newest first. */
  list(filter?: DecisionFilter): DecisionRecord[]
}

/** Entries that are kept by default (§6.1). */
const DEFAULT_CAPACITY = 5_000
const DEFAULT_LIMIT = 100
const ID_BYTES = 12

/** A log in memory that forgets the oldest entry. */
export function createDecisionLog(
  options: { readonly capacity?: number | undefined; readonly clock?: Clock | undefined } = {},
): DecisionLog {
  const { capacity = DEFAULT_CAPACITY, clock = systemClock } = options
  checkArgument(
    Number.isSafeInteger(capacity) && capacity > 0,
    'createDecisionLog: capacity',
    'a positive count',
    capacity,
  )
  const ring: DecisionRecord[] = []
  let next = 0
  return {
    get size() {
      return ring.length
    },
    record(request, decision) {
      const record = { id: createId(), createdAt: clock.now(), ...request, ...decision }
      ring[next] = record
      next = (next + 1) % capacity
      return record
    },
    list({ correlationId, userId, routerModel, limit = DEFAULT_LIMIT } = {}) {
      const found: DecisionRecord[] = []
      for (let age = 1; age <= ring.length && found.length < limit; age++) {
        const record = ring[(next - age + ring.length) % ring.length]
        if (record === undefined) continue
        if (correlationId !== undefined && record.correlationId !== correlationId) continue
        if (userId !== undefined && record.userId !== userId) continue
        if (routerModel !== undefined && record.routerModel !== routerModel) continue
        found.push(record)
      }
      return found
    },
  }
}

function createId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_BYTES))
  return `rd_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
