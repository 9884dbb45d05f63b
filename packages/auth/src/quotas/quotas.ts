import { createBatcher } from '../batcher.ts'
import { checkModelExists } from '../check-model.ts'
import { checkText } from '../check-text.ts'
import { cleanTokens } from '../clean-tokens.ts'
import { formatDuration, parseDuration } from '../duration.ts'
import { AuthError, invalidValue, missing } from '../errors.ts'
import type { CallOptions, Clock, Logger } from '../ports/clock.ts'
import type { QuotaRequest, QuotaRule, QuotaSettlement, QuotaStore, QuotaVerdict } from '../ports/usage.ts'
import type { Principal } from '../principal.ts'
import type { Revocations } from '../revocations.ts'
import { createStoreDeadline } from '../store-deadline.ts'
import { createId } from '../token-hasher.ts'
import { type StopSignal, withSignal } from '../with-signal.ts'
import { currentCounter } from './windows.ts'

/** What {@link createQuotas} needs. */
export interface QuotasOptions {
  readonly store: QuotaStore
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  readonly revocations: Revocations
  readonly logger?: Logger | undefined
  /** Whether there is a model of a name, for new rules. @default there is one of every name */
  readonly hasModel?: ((name: string) => boolean) | undefined
  /** How long a reservation holds when nobody settles it, milliseconds. @default 15 minutes */
  readonly reservationMs?: number | undefined
  /** How long a settlement may wait for a reservation that it is stored with, milliseconds. @default 250 */
  readonly settleWithinMs?: number | undefined
}

/** The reservations of a request under the quotas of its caller. */
export interface QuotaReservation {
  /**
   * Reserves further tokens for a request that goes on, such as with another call of its model. The request counts once.
   * A refused one keeps what it has reserved.
   *
   * @param tokens.used so far @param tokens.next for what comes
   * @throws {AuthError} as {@link Quotas.reserve}
   */
  renew(
    tokens: { readonly used: number; readonly next: number },
    options: { readonly signal: StopSignal },
  ): Promise<void>
  /**
   * Counts what the request has used, in place of what it had reserved; later calls do nothing.
   *
   * @param tokens undefined when the request does not count at all
   */
  settle(tokens: number | undefined): void
}

/** A rule with what it has counted in the window of now. */
export interface QuotaStatus extends QuotaRule {
  readonly window: string
  readonly requests: number
  /** Used ones and reserved ones. */
  readonly tokens: number
  /** End of the window, milliseconds since the epoch. */
  readonly resetsAt: number
}

/** A rule as a form has it. */
export interface QuotaDraft {
  readonly model?: unknown
  readonly maxRequests?: unknown
  readonly maxTokens?: unknown
  /** Such as `1h`, `7d` or `90m`. */
  readonly window: unknown
}

/** Requests and tokens for each window of time. */
export interface Quotas {
  /**
   * Reserves a request and some tokens under all rules of a caller that concern a model. A rule lets a request pass as
   * long as it has tokens left; the request then reserves what it asks for, or all that is left. At once for callers
   * without such rules.
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
  readStatus(userId: string, options: CallOptions): Promise<readonly QuotaStatus[]>
  /** The rules of several accounts with what they have counted. */
  readStatuses(userIds: readonly string[], options: CallOptions): Promise<readonly QuotaStatus[]>
  /** Creates the rule of an account and a model, or changes it; its window begins now. */
  putRule(userId: string, draft: QuotaDraft, options: CallOptions): Promise<QuotaStatus>
  /** @throws {AuthError} `not_found` */
  removeRule(rule: { readonly id: string; readonly userId: string }, options: CallOptions): Promise<void>
  /** Resolves when everything that was settled is stored, or waits for a store that is away. */
  flush(): Promise<void>
}

type Work =
  | { readonly kind: 'request'; readonly request: QuotaRequest }
  | { readonly kind: 'settlement'; readonly settlement: QuotaSettlement }

const RESERVATION_MS = 15 * 60_000
const MAX_BATCH = 200
const MAX_WAITING = 10_000
const SETTLE_WITHIN_MS = 250
const STORE_TIMEOUT_MS = 10_000
const MAX_MODEL_LENGTH = 200
const MAX_WINDOW_MS = 366 * 86_400_000
const MIN_WINDOW_MS = 1000

const NO_RESERVATION: QuotaReservation = { settle() {}, renew: () => Promise.resolve() }

function readLimit(value: unknown, name: string): number | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw invalidValue(`${name} must be a whole number of 0 or more, or null`)
  return value
}

function readWindow(value: unknown): number {
  if (typeof value !== 'string' || value.trim() === '') throw invalidValue('window is required')
  const windowMs = parseDuration(value)
  if (windowMs === undefined || windowMs < MIN_WINDOW_MS || windowMs > MAX_WINDOW_MS)
    throw invalidValue('window must be a duration between 1s and 366d, such as 1h or 7d')
  return windowMs
}

/**
 * Quotas over their store. Requests that come at once are decided in one transaction, so that a limit of N lets exactly
 * N pass, also over several servers on one database.
 */
export function createQuotas(options: QuotasOptions): Quotas {
  const { store, clock, revocations, logger, reservationMs = RESERVATION_MS } = options
  const withDeadline = createStoreDeadline(STORE_TIMEOUT_MS)
  const nextId = createReservationIds()
  /** Settlements that met a store that was away; the next batch that is stored takes them along. */
  const unsettled: QuotaSettlement[] = []
  const batcher = createBatcher<Work, QuotaVerdict>({
    maxBatch: MAX_BATCH,
    maxWaiting: MAX_WAITING,
    clock,
    laterMs: options.settleWithinMs ?? SETTLE_WITHIN_MS,
    async perform(batch) {
      const requests = batch.flatMap((work) => (work.kind === 'request' ? [work.request] : []))
      const settlements = batch.flatMap((work) => (work.kind === 'settlement' ? [work.settlement] : []))
      const asked = { requests, settlements, now: clock.now() }
      const verdicts = [...(await withDeadline((call) => store.apply(asked, call)))]
      for (const settlement of unsettled.splice(0, MAX_BATCH)) settle(settlement)
      return batch.map((work) => (work.kind === 'request' ? (verdicts.shift() ?? refuseAll()) : { granted: true }))
    },
  })

  function settle(settlement: QuotaSettlement): void {
    batcher.runLater({ kind: 'settlement', settlement }).catch((error: unknown) => {
      if (unsettled.length === 0) logger?.warn({ err: error }, 'quota reservations cannot be settled, they wait')
      unsettled.push(settlement)
      // a reservation that is never settled expires by itself
      if (unsettled.length > MAX_WAITING) unsettled.shift()
    })
  }

  function toReservation({ reservationId, rules }: QuotaRequest): QuotaReservation {
    let isSettled = false
    return {
      async renew({ used, next }, { signal }) {
        if (isSettled) return
        const tokens = { used: cleanTokens(used), tokens: cleanTokens(used + next) }
        const renewal = { reservationId, rules, ...tokens, expiresAt: clock.now() + reservationMs }
        // a request that was settled meanwhile has been counted
        const giveBack = () => isSettled && settle({ reservationId, rules, tokens: undefined })
        await decide(renewal, signal, giveBack)
        giveBack()
      },
      settle(tokens) {
        if (isSettled) return
        isSettled = true
        settle({ reservationId, rules, tokens: tokens === undefined ? undefined : cleanTokens(tokens) })
      },
    }
  }

  /** @param onLate called when the request is granted after its caller has left */
  async function decide(request: QuotaRequest, signal: StopSignal, onLate: () => unknown): Promise<void> {
    if (signal.aborted) throw signal.reason
    const asked = batcher.run({ kind: 'request', request })
    const verdict = await withSignal(asked, signal).catch((error: unknown) => {
      asked.then(
        ({ granted }) => granted && onLate(),
        () => undefined,
      )
      throw error
    })
    if (!verdict.granted) throw quotaExceeded(verdict, clock.now())
  }

  async function ask(request: QuotaRequest, signal: StopSignal): Promise<QuotaReservation> {
    const reservation = toReservation(request)
    await decide(request, signal, () => reservation.settle(undefined))
    return reservation
  }

  const toStatus = (rule: QuotaRule, stored: Parameters<typeof currentCounter>[1]): QuotaStatus => {
    const { requests, tokens, windowStart } = currentCounter(rule, stored, clock.now())
    const { windowMs } = rule
    return { ...rule, window: formatDuration(windowMs), requests, tokens, resetsAt: windowStart + windowMs }
  }

  async function readStatuses(userIds: readonly string[], call: CallOptions): Promise<readonly QuotaStatus[]> {
    await withSignal(batcher.settled(), call.signal)
    const rules = await store.listRulesByUsers(userIds, call)
    const found = await store.readCounters(
      rules.map(({ id }) => id),
      call,
    )
    const counters = new Map(found.map((counter) => [counter.ruleId, counter]))
    return rules.map((rule) => toStatus(rule, counters.get(rule.id)))
  }

  return {
    reserve(principal, { model, through = [], tokens }, { signal }) {
      const names = ['', model, ...through]
      const rules = principal.quotas.filter((rule) => names.includes(rule.model))
      if (rules.length === 0) return NO_RESERVATION
      const request = {
        reservationId: nextId(),
        rules,
        tokens: cleanTokens(tokens),
        expiresAt: clock.now() + reservationMs,
      }
      return ask(request, signal)
    },
    readStatus: (userId, call) => readStatuses([userId], call),
    readStatuses,
    async putRule(userId, draft, call) {
      const model = checkText(draft.model ?? '', { name: 'model', maxLength: MAX_MODEL_LENGTH, isOptional: true })
      if (model !== '') checkModelExists(model, { hasModel: options.hasModel, field: 'model' })
      const rule: QuotaRule = {
        id: createId(),
        userId,
        model,
        maxRequests: readLimit(draft.maxRequests, 'max_requests'),
        maxTokens: readLimit(draft.maxTokens, 'max_total_tokens'),
        windowMs: readWindow(draft.window),
        createdAt: clock.now(),
      }
      const stored = await store.putRule(rule, call)
      revocations.publish({ kind: 'user', userId })
      return toStatus(stored, undefined)
    },
    async removeRule(rule, call) {
      if (!(await store.removeRule(rule, call))) throw missing('quota rule not found')
      revocations.publish({ kind: 'user', userId: rule.userId })
    },
    async flush() {
      await batcher.settled()
      await withDeadline(async (call) => store.flush?.(call))
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

function refuseAll(): never {
  throw new AuthError('internal', 'a quota store gave too few verdicts')
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
