import { cleanAmount, cleanMicros } from '../clean-figures.ts'
import { formatDuration } from '../duration.ts'
import { AuthError } from '../errors.ts'
import { type LimitFigures, toLimitFigures } from '../limits/figures.ts'
import { isLimitRefusal, limitExceeded } from '../limits/refusal.ts'
import type { Clock } from '../ports/clock.ts'
import type { CountedRule, PassedLimit, QuotaRequest, QuotaVerdict } from '../ports/usage.ts'
import { createId } from '../token-hasher.ts'
import { type StopSignal, withSignal } from '../with-signal.ts'
import type { QuotaQueue } from './quota-queue.ts'

/** What a request has used so far and needs for the rest. */
export interface FurtherUse {
  readonly used: number
  readonly next: number
  /** Money for both together, whole millionths. @default 0 */
  readonly costMicros?: number | undefined
  /** ISO 4217 code of the money. @default that of the reservation */
  readonly currency?: string | undefined
}

/** The reservations of a request under the quotas of its caller and under limits. */
export interface QuotaReservation {
  /** What is left under the limits of the request; undefined without any. */
  readonly figures: LimitFigures | undefined
  /** Soft limits that are full. */
  readonly passed: readonly PassedLimit[]
  /**
   * Reserves further tokens for a request that goes on, such as with another call of its model. The request counts only
   * once. A refused request keeps its reservation.
   *
   * @throws {AuthError} as {@link Reservations.reserve}
   */
  renew(use: FurtherUse, options: { readonly signal: StopSignal }): Promise<void>
  /**
   * Counts the tokens that the request has used, in place of its reservation; later calls do nothing.
   *
   * @param tokens undefined when the request does not count at all
   * @param costMicros what it has cost, whole millionths; what was reserved when it is unknown
   * @param currency ISO 4217 code of the cost; budgets in another one keep what was reserved @default that of the
   *   reservation
   */
  settle(tokens: number | undefined, costMicros?: number, currency?: string): void
}

/** Tokens and money for a request. */
export interface ReservedUse {
  readonly tokens: number
  /** Whole millionths. @default 0 */
  readonly costMicros?: number | undefined
  /** ISO 4217 code of the money. @default that of every budget */
  readonly currency?: string | undefined
}

/** Reserves requests, tokens and money under rules. */
export interface Reservations {
  /**
   * @throws {AuthError} `rate_limited` when a rule is full, with the code `quota_exceeded`, `limit_exceeded` or
   *   `budget_exceeded`
   */
  reserve(
    rules: readonly CountedRule[],
    use: ReservedUse,
    options: { readonly signal: StopSignal },
  ): Promise<QuotaReservation>
}

/** Dependencies of the reservations. */
export interface ReservationsOptions {
  readonly queue: Pick<QuotaQueue, 'decide' | 'settle'>
  readonly clock: Pick<Clock, 'now'>
  /** Time after which a reservation that nobody settles ends, milliseconds. @default 15 minutes */
  readonly reservationMs?: number | undefined
}

const RESERVATION_MS = 15 * 60_000

/** Creates reservations whose requests the queue decides. */
export function createReservations(options: ReservationsOptions): Reservations {
  const { queue, clock, reservationMs = RESERVATION_MS } = options
  const nextId = createReservationIds()

  function toReservation({ reservationId, rules, currency: reserved }: QuotaRequest) {
    let isSettled = false
    return {
      async renew(
        { used, next, costMicros = 0, currency = reserved }: FurtherUse,
        { signal }: { readonly signal: StopSignal },
      ) {
        if (isSettled) return
        const use = { used: cleanAmount(used), tokens: cleanAmount(used + next), costMicros: cleanMicros(costMicros) }
        const renewal = { reservationId, rules, currency, ...use, expiresAt: clock.now() + reservationMs }
        // a request that was settled meanwhile has been counted
        const giveBack = () => isSettled && queue.settle({ reservationId, rules, tokens: undefined })
        await decide(renewal, signal, giveBack)
        giveBack()
      },
      settle(tokens: number | undefined, costMicros?: number, currency = reserved) {
        if (isSettled) return
        isSettled = true
        queue.settle({
          reservationId,
          rules,
          currency,
          tokens: tokens === undefined ? undefined : cleanAmount(tokens),
          costMicros: costMicros === undefined ? undefined : cleanMicros(costMicros),
        })
      },
    }
  }

  /** @param onLate called when the request is granted after its caller has left */
  async function decide(
    request: QuotaRequest,
    signal: StopSignal,
    onLate: () => unknown,
  ): Promise<Extract<QuotaVerdict, { readonly granted: true }>> {
    if (signal.aborted) throw signal.reason
    const asked = queue.decide(request)
    const verdict = await withSignal(asked, signal).catch((error: unknown) => {
      asked.then(
        ({ granted }) => granted && onLate(),
        () => undefined,
      )
      throw error
    })
    if (verdict.granted) return verdict
    const { costMicros = 0 } = request
    if (isLimitRefusal(verdict)) throw limitExceeded(verdict, { now: clock.now(), costMicros })
    throw quotaExceeded(verdict, clock.now())
  }

  return {
    async reserve(rules, { tokens, costMicros = 0, currency }, { signal }) {
      const request = {
        reservationId: nextId(),
        rules,
        tokens: cleanAmount(tokens),
        costMicros: cleanMicros(costMicros),
        currency,
        expiresAt: clock.now() + reservationMs,
      }
      const reservation = toReservation(request)
      const { counts, passed = [] } = await decide(request, signal, () => reservation.settle(undefined))
      return { ...reservation, figures: counts && toLimitFigures(counts), passed }
    },
  }
}

/** Ids that are unique among all processes; random bytes for each would cost more than a decision. */
function createReservationIds(): () => string {
  const own = createId()
  let counter = 0
  return () => {
    counter += 1
    return `${own}${counter.toString(36)}`
  }
}

function quotaExceeded(verdict: Extract<QuotaVerdict, { readonly granted: false }>, now: number): AuthError {
  const { rule, resetsAt } = verdict
  const model = 'limit' in rule ? '' : rule.model
  const what = model === '' ? '' : ` for model ${model}`
  return new AuthError(
    'rate_limited',
    `quota exceeded${what}, try again when its window of ${formatDuration(rule.windowMs)} ends`,
    {
      code: 'quota_exceeded',
      retryAfterMs: Math.max(1, resetsAt - now),
      details: { type: 'quota_exceeded' },
    },
  )
}
