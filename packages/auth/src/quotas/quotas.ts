import type { Clock, Logger } from '../ports/clock.ts'
import type { QuotaStore } from '../ports/usage.ts'
import type { Principal } from '../principal.ts'
import type { Revocations } from '../revocations.ts'
import type { StopSignal } from '../with-signal.ts'
import { createQuotaQueue } from './quota-queue.ts'
import { createQuotaRules, type QuotaRules } from './quota-rules.ts'
import { createReservations, type QuotaReservation } from './reservations.ts'

/** Options of {@link createQuotas}. */
export interface QuotasOptions {
  readonly store: QuotaStore
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

/** Requests and tokens for each window of time. */
export interface Quotas extends QuotaRules {
  /**
   * Reserves a request and some tokens under all rules of a caller that concern a model. A rule lets a request pass as
   * long as it has tokens left; the request then reserves the tokens that it asks for, or all that are left. Returns at
   * once for callers without such rules.
   *
   * @param use.through further names by which the model is called, such as an alias or a router; their rules count too
   * @throws {AuthError} `rate_limited` with the code `quota_exceeded` and the time until the window ends; `unavailable`
   *   while the store is away
   */
  reserve(
    principal: Principal,
    use: { readonly model: string; readonly through?: readonly string[] | undefined; readonly tokens: number },
    options: { readonly signal: StopSignal },
  ): QuotaReservation | Promise<QuotaReservation>
  /** Resolves when all settlements are stored, or wait for a store that is away. */
  flush(): Promise<void>
}

const NO_RESERVATION: QuotaReservation = { settle() {}, renew: () => Promise.resolve() }

/**
 * Quotas over their store. Requests that come at once are decided in one transaction, so that a limit of N lets exactly
 * N pass, also over several servers on one database.
 */
export function createQuotas(options: QuotasOptions): Quotas {
  const { store, clock, revocations, logger, hasModel, reservationMs, settleWithinMs } = options
  const queue = createQuotaQueue({ store, clock, logger, settleWithinMs })
  const reservations = createReservations({ queue, clock, reservationMs })
  return {
    ...createQuotaRules({ store, queue, clock, revocations, hasModel }),
    reserve(principal, { model, through = [], tokens }, call) {
      const names = ['', model, ...through]
      const rules = principal.quotas.filter((rule) => names.includes(rule.model))
      return rules.length === 0 ? NO_RESERVATION : reservations.reserve(rules, tokens, call)
    },
    flush: () => queue.flush(),
  }
}
