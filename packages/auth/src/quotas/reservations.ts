import { cleanAmount } from '../clean-figures.ts'
import { formatDuration } from '../duration.ts'
import { AuthError } from '../errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { QuotaRequest, QuotaRule, QuotaVerdict } from '../ports/usage.ts'
import { createId } from '../token-hasher.ts'
import { type StopSignal, withSignal } from '../with-signal.ts'
import type { QuotaQueue } from './quota-queue.ts'

/** The reservations of a request under the quotas of its caller. */
export interface QuotaReservation {
  /**
   * Reserves further tokens for a request that goes on, such as with another call of its model. The request counts only
   * once. A refused request keeps its reservation.
   *
   * @param tokens.used so far @param tokens.next for the rest
   * @throws {AuthError} as {@link Reservations.reserve}
   */
  renew(
    tokens: { readonly used: number; readonly next: number },
    options: { readonly signal: StopSignal },
  ): Promise<void>
  /**
   * Counts the tokens that the request has used, in place of its reservation; later calls do nothing.
   *
   * @param tokens undefined when the request does not count at all
   */
  settle(tokens: number | undefined): void
}

/** Reserves requests and tokens under rules. */
export interface Reservations {
  /** @throws {AuthError} `rate_limited` with the code `quota_exceeded` when a rule is full */
  reserve(
    rules: readonly QuotaRule[],
    tokens: number,
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

  function toReservation({ reservationId, rules }: QuotaRequest): QuotaReservation {
    let isSettled = false
    return {
      async renew({ used, next }, { signal }) {
        if (isSettled) return
        const tokens = { used: cleanAmount(used), tokens: cleanAmount(used + next) }
        const renewal = { reservationId, rules, ...tokens, expiresAt: clock.now() + reservationMs }
        // a request that was settled meanwhile has been counted
        const giveBack = () => isSettled && queue.settle({ reservationId, rules, tokens: undefined })
        await decide(renewal, signal, giveBack)
        giveBack()
      },
      settle(tokens) {
        if (isSettled) return
        isSettled = true
        queue.settle({ reservationId, rules, tokens: tokens === undefined ? undefined : cleanAmount(tokens) })
      },
    }
  }

  /** @param onLate called when the request is granted after its caller has left */
  async function decide(request: QuotaRequest, signal: StopSignal, onLate: () => unknown): Promise<void> {
    if (signal.aborted) throw signal.reason
    const asked = queue.decide(request)
    const verdict = await withSignal(asked, signal).catch((error: unknown) => {
      asked.then(
        ({ granted }) => granted && onLate(),
        () => undefined,
      )
      throw error
    })
    if (!verdict.granted) throw quotaExceeded(verdict, clock.now())
  }

  return {
    async reserve(rules, tokens, { signal }) {
      const request = {
        reservationId: nextId(),
        rules,
        tokens: cleanAmount(tokens),
        expiresAt: clock.now() + reservationMs,
      }
      const reservation = toReservation(request)
      await decide(request, signal, () => reservation.settle(undefined))
      return reservation
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
  const what = rule.model === '' ? '' : ` for model ${rule.model}`
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
