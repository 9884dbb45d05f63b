import { createLimitBook, type LimitBook, type LimitedUse } from '../limits/limit-book.ts'
import { createLimits, type Limits } from '../limits/limits.ts'
import { createLimitNotices, type LimitNotice } from '../limits/notices.ts'
import { priceUnknown } from '../limits/refusal.ts'
import type { Clock, Logger } from '../ports/clock.ts'
import type { LimitStore } from '../ports/limits.ts'
import type { LimitRule, QuotaRule, QuotaStore } from '../ports/usage.ts'
import type { Principal } from '../principal.ts'
import type { Revocations } from '../revocations.ts'
import type { StopSignal } from '../with-signal.ts'
import { createQuotaQueue } from './quota-queue.ts'
import { createQuotaRules, type QuotaRules } from './quota-rules.ts'
import { createReservations, type QuotaReservation } from './reservations.ts'

/** Options of {@link createQuotas}. */
export interface QuotasOptions {
  readonly store: QuotaStore
  /** @default no limits, and none can be added */
  readonly limits?: LimitStore | undefined
  /** The name under which an end user is counted. @default its own */
  readonly nameEndUser?: ((endUser: string) => string) | undefined
  /** Hears when 80 and 100 percent of a limit are used or reserved, once in each window. */
  readonly onLimitNotice?: ((notice: LimitNotice) => void) | undefined
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  readonly revocations: Revocations
  readonly logger?: Logger | undefined
  /** Whether there is a model of a name, for new rules. @default there is one of every name */
  readonly hasModel?: ((name: string) => boolean) | undefined
  /** Time after which a reservation that nobody settles ends, milliseconds. @default 15 minutes */
  readonly reservationMs?: number | undefined
  /** Longest time that a settlement waits for a reservation to be stored with, milliseconds. @default 250 */
  readonly settleWithinMs?: number | undefined
}

/** Money in whole millionths of a currency. */
export interface Cost {
  readonly micros: number
  /** ISO 4217 code. */
  readonly currency: string
}

/** What a request asks for. */
export interface QuotaUse extends LimitedUse {
  readonly tokens: number
  /**
   * Gives what the request may cost; undefined for a model without a price. Called only under a limit of money.
   *
   * @default no price
   */
  readonly cost?: (() => Cost | undefined) | undefined
}

/** Requests and tokens for each window of time. */
export interface Quotas extends QuotaRules {
  /** Whether limits may hold for a request; false costs nothing and means that only the rules of its caller count. */
  readonly hasLimits: boolean
  /** The limits of the server. */
  readonly limits: Limits
  /**
   * Reads the limits, so that requests know them while the store is away. Without it the first request reads them.
   *
   * @throws the error of the store
   */
  loadLimits(options: { readonly signal: StopSignal }): Promise<void>
  /**
   * Reserves a request, some tokens and some money under all rules of a caller that concern a model, and under all
   * limits of the caller, the model and the end user. A rule of tokens lets a request pass as long as it has some left;
   * the request then reserves the tokens that it asks for, or all that are left. A budget has to suffice for all of the
   * money. Returns at once for callers without rules and limits.
   *
   * @param use.through further names by which the model is called, such as an alias or a router; their rules count too
   * @throws {AuthError} `rate_limited` with the code `quota_exceeded`, `limit_exceeded` or `budget_exceeded` and the time
   *   until there may be room; `price_unknown` for a model without a price under a budget; `unavailable` while the store
   *   is away
   */
  reserve(
    principal: Principal,
    use: QuotaUse,
    options: { readonly signal: StopSignal },
  ): QuotaReservation | Promise<QuotaReservation>
  /** Resolves when all settlements are stored, or wait for a store that is away. */
  flush(): Promise<void>
}

const NO_RESERVATION: QuotaReservation = { figures: undefined, passed: [], settle() {}, renew: () => Promise.resolve() }

/**
 * Quotas and limits over their stores. Requests that come at once are decided in one transaction, so that a limit of N
 * lets exactly N pass, also over several servers on one database.
 */
export function createQuotas(options: QuotasOptions): Quotas {
  const { store, limits, clock, revocations, logger, hasModel, nameEndUser, reservationMs } = options
  const { settleWithinMs, onLimitNotice } = options
  const notices = onLimitNotice && createLimitNotices(onLimitNotice)
  const queue = createQuotaQueue({ store, clock, logger, settleWithinMs, notices })
  const reservations = createReservations({ queue, clock, reservationMs })
  const book =
    limits === undefined ? NO_BOOK : createLimitBook({ store: limits, revocations, nameEndUser, clock, logger })

  function begin(
    quotas: readonly QuotaRule[],
    limits: readonly LimitRule[],
    use: QuotaUse,
    call: { readonly signal: StopSignal },
  ): QuotaReservation | Promise<QuotaReservation> {
    if (quotas.length + limits.length === 0) return NO_RESERVATION
    const { tokens } = use
    const { micros: costMicros, currency } = limits.some(isBudget) ? checkCost(limits, use) : NO_COST
    const rules = limits.length === 0 ? quotas : [...quotas, ...limits]
    return reservations.reserve(rules, { tokens, costMicros, currency }, call)
  }

  return {
    ...createQuotaRules({ store, queue, clock, revocations, hasModel }),
    get hasLimits() {
      return book.mayHold
    },
    limits: createLimits({ store: limits ?? NO_LIMITS, counters: store, queue, book, clock, hasModel, nameEndUser }),
    reserve(principal, use, call) {
      const { model, through = [], isOuter = false } = use
      const names = [model, ...through]
      const quotas = principal.quotas.filter((rule) => (rule.model === '' ? !isOuter : names.includes(rule.model)))
      if (!book.mayHold) return begin(quotas, [], use, call)
      const found = book.match(principal, use, call)
      if (!(found instanceof Promise)) return begin(quotas, found, use, call)
      return found.then((matched) => begin(quotas, matched, use, call))
    },
    loadLimits: (call) => book.load(call),
    flush: () => queue.flush(),
  }
}

const isBudget = ({ maxCostMicros }: LimitRule): boolean => maxCostMicros !== undefined

/** The money that a request reserves. @throws {AuthError} `price_unknown` under a budget that must not be passed */
function checkCost(limits: readonly LimitRule[], { cost, model }: QuotaUse): ReservedCost {
  const known = cost?.()
  for (const rule of limits) {
    if (!isBudget(rule) || rule.isSoft === true || known?.currency === rule.limit.currency) continue
    throw priceUnknown(rule, model)
  }
  return known ?? NO_COST
}

type ReservedCost = Pick<Cost, 'micros'> & Partial<Cost>

const NO_COST: ReservedCost = { micros: 0 }

/** A book without limits, which never has to be read. */
const NO_BOOK: LimitBook = { mayHold: false, match: () => [], matchOwn: async () => [], async load() {}, forget() {} }

/** A store without limits. */
const NO_LIMITS: LimitStore = {
  list: async () => [],
  create: async () => false,
  change: async () => false,
  remove: async () => false,
  removeOldCounters: async () => 0,
}
