import type { QuotaCounter, QuotaRequest, QuotaRule, QuotaSettlement, QuotaVerdict } from '../ports/usage.ts'
import { currentCounter } from './windows.ts'

/** The reservation of one request under one rule, until it is settled. */
export interface Reservation {
  readonly id: string
  readonly ruleId: string
  readonly windowStart: number
  readonly tokens: number
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** Counters and reservations inside of one transaction. */
export interface QuotaLedger {
  /** The stored counters of some rules. Nobody else changes them until the transaction ends. */
  lockCounters(rules: readonly QuotaRule[]): Promise<readonly QuotaCounter[]>
  /** Removes the reservations of some requests and returns them. */
  takeReservations(ids: readonly string[]): Promise<readonly Reservation[]>
  /** Removes expired reservations of some rules and returns them. */
  takeExpired(ruleIds: readonly string[], now: number): Promise<readonly Reservation[]>
  putReservations(reservations: readonly Reservation[]): Promise<void>
  writeCounters(counters: readonly QuotaCounter[]): Promise<void>
}

/** A batch of work for a store. */
export interface QuotaWork {
  readonly requests: readonly QuotaRequest[]
  readonly settlements: readonly QuotaSettlement[]
  readonly now: number
}

const isFull = ({ maxRequests, maxTokens }: QuotaRule, counter: QuotaCounter): boolean =>
  (maxRequests !== undefined && counter.requests >= maxRequests) ||
  (maxTokens !== undefined && counter.tokens >= maxTokens)

/** The counters of the rules of one piece of work. */
function createCounters(rules: ReadonlyMap<string, QuotaRule>, stored: readonly QuotaCounter[], now: number) {
  const before = new Map(stored.map((counter) => [counter.ruleId, counter]))
  const current = new Map([...rules].map(([id, rule]) => [id, currentCounter(rule, before.get(id), now)]))
  return {
    read: (rule: QuotaRule): QuotaCounter => current.get(rule.id) ?? currentCounter(rule, undefined, now),
    add(ruleId: string, change: { readonly requests: number; readonly tokens: number }): void {
      const counter = current.get(ruleId)
      if (counter === undefined) return
      current.set(ruleId, {
        ...counter,
        requests: Math.max(0, counter.requests + change.requests),
        tokens: Math.max(0, counter.tokens + change.tokens),
      })
    },
    /** Gives back the request and the tokens of a reservation, unless its window is over. */
    release({ ruleId, windowStart, tokens }: Reservation): void {
      if (current.get(ruleId)?.windowStart === windowStart) this.add(ruleId, { requests: -1, tokens: -tokens })
    },
    /** Counts the request and the tokens again that {@link release} gave back. */
    restore({ ruleId, windowStart, tokens }: Reservation): void {
      if (current.get(ruleId)?.windowStart === windowStart) this.add(ruleId, { requests: 1, tokens })
    },
    changed: (): readonly QuotaCounter[] =>
      [...current.values()].filter((counter) => before.get(counter.ruleId) !== counter),
  }
}

type Counters = ReturnType<typeof createCounters>

function settle(settlement: QuotaSettlement, taken: readonly Reservation[], counters: Counters): void {
  const held = new Map(taken.filter(({ id }) => id === settlement.reservationId).map((one) => [one.ruleId, one]))
  for (const rule of settlement.rules) {
    const reservation = held.get(rule.id)
    const isOver = reservation !== undefined && reservation.windowStart !== counters.read(rule).windowStart
    // a reservation of an earlier window was counted there
    if (isOver) continue
    if (reservation !== undefined) counters.release(reservation)
    if (settlement.tokens !== undefined) counters.add(rule.id, { requests: 1, tokens: settlement.tokens })
  }
}

/** Reserves under all rules of a request, or names the full rule. @param held reserved by a renewed request so far */
function reserve(
  request: QuotaRequest,
  held: readonly Reservation[],
  counters: Counters,
): readonly Reservation[] | QuotaRule {
  const { used = 0 } = request
  for (const reservation of held) counters.release(reservation)
  const full = request.rules.find((rule) => {
    const counter = counters.read(rule)
    return isFull(rule, { ...counter, tokens: counter.tokens + used })
  })
  if (full !== undefined) {
    for (const reservation of held) counters.restore(reservation)
    return full
  }
  return request.rules.map((rule) => {
    const { windowStart, tokens: counted } = counters.read(rule)
    const tokens = Math.min(request.tokens, (rule.maxTokens ?? Number.MAX_SAFE_INTEGER) - counted)
    counters.add(rule.id, { requests: 1, tokens })
    return { id: request.reservationId, ruleId: rule.id, windowStart, tokens, expiresAt: request.expiresAt }
  })
}

const isGranted = (outcome: readonly Reservation[] | QuotaRule | undefined): outcome is readonly Reservation[] =>
  Array.isArray(outcome)

/**
 * Settles, then reserves: all rules of a request or none. Reservations that have expired are given back when a request
 * would be refused.
 */
export async function applyQuotaWork(work: QuotaWork, ledger: QuotaLedger): Promise<readonly QuotaVerdict[]> {
  const { requests, settlements, now } = work
  const rules = new Map(
    [...requests, ...settlements].flatMap((one) => one.rules.map((rule) => [rule.id, rule] as const)),
  )
  const ordered = [...rules.values()].sort((left, right) => (left.id < right.id ? -1 : 1))
  const counters = createCounters(rules, await ledger.lockCounters(ordered), now)
  const renewed = requests.filter(({ used }) => used !== undefined)
  const known = [...settlements, ...renewed].map(({ reservationId }) => reservationId)
  const taken = known.length === 0 ? [] : await ledger.takeReservations(known)
  for (const settlement of settlements) settle(settlement, taken, counters)
  const settled = new Set(settlements.map(({ reservationId }) => reservationId))
  const findHeld = (request: QuotaRequest | undefined): readonly Reservation[] => {
    if (request?.used === undefined || settled.has(request.reservationId)) return []
    return taken.filter(({ id }) => id === request.reservationId)
  }
  let outcomes = requests.map((request) => reserve(request, findHeld(request), counters))
  if (!outcomes.every(isGranted)) {
    const expired = await ledger.takeExpired([...rules.keys()], now)
    for (const reservation of expired) counters.release(reservation)
    if (expired.length > 0) {
      outcomes = requests.map((request, index) => {
        const before = outcomes[index]
        return isGranted(before) ? before : reserve(request, findHeld(request), counters)
      })
    }
  }
  // a refused renewal leaves its request with its reservation
  const kept = outcomes.flatMap((outcome, index) => (isGranted(outcome) ? outcome : findHeld(requests[index])))
  if (kept.length > 0) await ledger.putReservations(kept)
  const changed = counters.changed()
  if (changed.length > 0) await ledger.writeCounters(changed)
  return outcomes.map((outcome) => {
    if (isGranted(outcome)) return { granted: true }
    return { granted: false, rule: outcome, resetsAt: counters.read(outcome).windowStart + outcome.windowMs }
  })
}
