import type {
  CountedRule,
  CounterChange,
  LimitRule,
  PassedLimit,
  QuotaCounter,
  QuotaRequest,
  QuotaSettlement,
  QuotaVerdict,
} from '../ports/usage.ts'
import { addCount, type CountChange, findFull, findRoom, holdsWindow, moveReservation } from './counts.ts'
import { currentCounter } from './windows.ts'

/** The reservation of one request under one rule, until it is settled. */
export interface Reservation {
  readonly id: string
  readonly ruleId: string
  readonly windowStart: number
  readonly tokens: number
  /** Whole millionths. */
  readonly costMicros: number
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** Counters and reservations inside of one transaction. */
export interface QuotaLedger {
  /** The stored counters of some rules. Nobody else changes them until the transaction ends. */
  lockCounters(rules: readonly CountedRule[]): Promise<readonly QuotaCounter[]>
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
  /** Takes the changes of counters of limits. They hold once the work is stored. */
  readonly onChange?: ((change: CounterChange) => void) | undefined
}

/** Whether a rule is a limit. */
export const isLimitRule = (rule: CountedRule): rule is LimitRule => 'limit' in rule

/**
 * The money of a request that counts under a rule. Where it is unknown, or the budget is in another currency, it is what
 * the request has reserved under the rule: prices may change their currency while a request runs.
 */
function moneyUnder(
  rule: CountedRule,
  { costMicros, currency }: Pick<QuotaRequest, 'costMicros' | 'currency'>,
  reserved: Reservation | undefined,
): number {
  const isOther = isLimitRule(rule) && rule.maxCostMicros !== undefined && rule.limit.currency !== currency
  const isKnown = costMicros !== undefined && !(currency !== undefined && isOther)
  return isKnown ? costMicros : (reserved?.costMicros ?? 0)
}

/** The counters of the rules of one piece of work. */
function createCounters(rules: ReadonlyMap<string, CountedRule>, stored: readonly QuotaCounter[], now: number) {
  const before = new Map(stored.map((counter) => [counter.ruleId, counter]))
  const begun = new Map([...rules].map(([id, rule]) => [id, currentCounter(rule, before.get(id), now)]))
  const current = new Map(begun)
  const change = (ruleId: string, update: (counter: QuotaCounter) => QuotaCounter): void => {
    const counter = current.get(ruleId)
    if (counter !== undefined) current.set(ruleId, update(counter))
  }
  const move = (reservation: Reservation, sign: 1 | -1): void =>
    change(reservation.ruleId, (counter) => moveReservation(counter, reservation, sign))
  return {
    read: (rule: CountedRule): QuotaCounter => current.get(rule.id) ?? currentCounter(rule, undefined, now),
    add: (ruleId: string, amounts: CountChange, start: number): void =>
      change(ruleId, (counter) => addCount(counter, amounts, start)),
    /** Gives back what a reservation holds. */
    release: (reservation: Reservation): void => move(reservation, -1),
    /** Counts what a reservation holds. */
    hold: (reservation: Reservation): void => move(reservation, 1),
    changed: (): readonly QuotaCounter[] =>
      [...current.values()].filter((counter) => before.get(counter.ruleId) !== counter),
    listChanges: (): readonly CounterChange[] =>
      [...rules.values()].flatMap((rule) => {
        const [first, last] = [begun.get(rule.id), current.get(rule.id)]
        return first === undefined || last === undefined || first === last ? [] : [{ rule, before: first, after: last }]
      }),
  }
}

type Counters = ReturnType<typeof createCounters>

function settle(settlement: QuotaSettlement, taken: readonly Reservation[], counters: Counters): void {
  const held = new Map(taken.filter(({ id }) => id === settlement.reservationId).map((one) => [one.ruleId, one]))
  for (const rule of settlement.rules) {
    const reservation = held.get(rule.id)
    // a reservation of an earlier window was counted there
    const counter = counters.read(rule)
    const isOver = reservation !== undefined && !holdsWindow(counter, reservation.windowStart)
    if (reservation !== undefined) counters.release(reservation)
    if (isOver || settlement.tokens === undefined) continue
    const { tokens } = settlement
    const costMicros = moneyUnder(rule, settlement, reservation)
    counters.add(rule.id, { requests: 1, tokens, costMicros }, reservation?.windowStart ?? counter.windowStart)
  }
}

/** Reserves under all rules of a request, or gives the refusal. @param held reserved by a renewed request so far */
function reserve(
  request: QuotaRequest,
  held: readonly Reservation[],
  { counters, now }: { readonly counters: Counters; readonly now: number },
): Outcome {
  const toDemand = (rule: CountedRule) => {
    const reserved = held.find(({ ruleId }) => ruleId === rule.id)
    return { used: request.used ?? 0, costMicros: moneyUnder(rule, request, reserved) }
  }
  for (const reservation of held) counters.release(reservation)
  const passed: PassedLimit[] = []
  for (const rule of request.rules) {
    const counter = counters.read(rule)
    const demand = toDemand(rule)
    const full = findFull(rule, counter, demand)
    if (full === undefined) continue
    if (rule.isSoft === true && isLimitRule(rule)) {
      passed.push({ rule, full })
      continue
    }
    for (const reservation of held) counters.hold(reservation)
    return { granted: false, rule, full, counter, resetsAt: findRoom(rule, counter, demand, now) }
  }
  const made = request.rules.map((rule) => {
    const room = rule.isSoft === true ? undefined : rule.maxTokens
    const { windowStart, tokens: counted } = counters.read(rule)
    const tokens = Math.min(request.tokens, (room ?? Number.MAX_SAFE_INTEGER) - counted)
    const { reservationId: id, expiresAt } = request
    const { costMicros } = toDemand(rule)
    const reservation = { id, ruleId: rule.id, windowStart, tokens, costMicros, expiresAt }
    counters.hold(reservation)
    return reservation
  })
  const counts = request.rules.filter(isLimitRule).map((rule) => ({ rule, counter: counters.read(rule) }))
  return { granted: true, made, ...(counts.length === 0 ? {} : { counts, passed }) }
}

type Outcome =
  | Extract<QuotaVerdict, { readonly granted: false }>
  | (Extract<QuotaVerdict, { readonly granted: true }> & { readonly made: readonly Reservation[] })

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
  const at = { counters, now }
  const renewed = requests.filter(({ used }) => used !== undefined)
  const known = [...settlements, ...renewed].map(({ reservationId }) => reservationId)
  const taken = known.length === 0 ? [] : await ledger.takeReservations(known)
  for (const settlement of settlements) settle(settlement, taken, counters)
  const settled = new Set(settlements.map(({ reservationId }) => reservationId))
  const findHeld = (request: QuotaRequest | undefined): readonly Reservation[] => {
    if (request?.used === undefined || settled.has(request.reservationId)) return []
    return taken.filter(({ id }) => id === request.reservationId)
  }
  let outcomes = requests.map((request) => reserve(request, findHeld(request), at))
  if (!outcomes.every(({ granted }) => granted)) {
    const expired = await ledger.takeExpired([...rules.keys()], now)
    for (const reservation of expired) counters.release(reservation)
    if (expired.length > 0) {
      outcomes = requests.map((request, index) => {
        const before = outcomes[index]
        return before?.granted === true ? before : reserve(request, findHeld(request), at)
      })
    }
  }
  // a refused renewal leaves its request with its reservation
  const kept = outcomes.flatMap((outcome, index) => (outcome.granted ? outcome.made : findHeld(requests[index])))
  if (kept.length > 0) await ledger.putReservations(kept)
  const changed = counters.changed()
  if (changed.length > 0) await ledger.writeCounters(changed)
  const { onChange } = work
  if (onChange !== undefined)
    for (const change of counters.listChanges()) if (isLimitRule(change.rule)) onChange(change)
  return outcomes.map((outcome) => {
    if (!outcome.granted) return outcome
    const { made: _, ...verdict } = outcome
    return verdict
  })
}
