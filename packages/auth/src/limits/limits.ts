import { AuthError, missing } from '../errors.ts'
import type { CallOptions, Clock } from '../ports/clock.ts'
import type { Limit, LimitStore } from '../ports/limits.ts'
import type { LimitRule, QuotaCounter, QuotaStore } from '../ports/usage.ts'
import type { Principal } from '../principal.ts'
import type { QuotaQueue } from '../quotas/quota-queue.ts'
import { currentCounter, windowEnd, windowStart } from '../quotas/windows.ts'
import { createId } from '../token-hasher.ts'
import { withSignal } from '../with-signal.ts'
import { type LimitBook, toLimitRule } from './limit-book.ts'
import { isForEach, type LimitDraft, readLimitDraft } from './limit-draft.ts'

/** A limit with the count of one subject. */
export interface LimitStatus extends Limit {
  /** Who is counted; undefined for a limit of each, which has a count for every one. */
  readonly countedId: string | undefined
  /** The counts in the current window, reserved ones included; undefined where nobody is counted. */
  readonly count: LimitCount | undefined
}

/** A count in its window. */
export interface LimitCount {
  readonly requests: number
  readonly tokens: number
  /** Whole millionths. */
  readonly costMicros: number
  /** Requests that run now. */
  readonly parallel: number
  /** Time at which it is zero again if nothing more is counted, milliseconds since the epoch. */
  readonly resetsAt: number
}

/** The limits of a server. */
export interface Limits {
  list(options: CallOptions): Promise<readonly LimitStatus[]>
  /** @param options.of the one whose count of a limit for "each" is read @throws {AuthError} `not_found` */
  read(id: string, options: CallOptions & { readonly of?: string | undefined }): Promise<LimitStatus>
  /** The limits that hold for a caller whatever it asks for. */
  readOwn(principal: Principal, options: CallOptions): Promise<readonly LimitStatus[]>
  /** @throws {AuthError} `invalid_request`; `conflict` when there are 5,000 limits */
  create(draft: LimitDraft, options: CallOptions): Promise<LimitStatus>
  /** Changes a limit. Its counts stay, unless its window or its currency is another one. @throws as {@link create}; `not_found` */
  change(id: string, draft: LimitDraft, options: CallOptions): Promise<LimitStatus>
  /** @throws {AuthError} `not_found` */
  remove(id: string, options: CallOptions): Promise<void>
  /** Removes counters of limits for "each" whose windows are over, and those of rules and limits that are gone. */
  tidy(options: CallOptions): Promise<void>
}

/** Dependencies of {@link createLimits}. */
export interface LimitsOptions {
  readonly store: LimitStore
  readonly counters: Pick<QuotaStore, 'readCounters' | 'restart' | 'removeStray'>
  readonly queue: Pick<QuotaQueue, 'settled'>
  readonly book: Pick<LimitBook, 'matchOwn' | 'forget'>
  readonly clock: Pick<Clock, 'now'>
  readonly hasModel?: ((name: string) => boolean) | undefined
  /** The name under which an end user is counted. @default its own */
  readonly nameEndUser?: ((endUser: string) => string) | undefined
}

/** Each request looks at the limits of its caller, and all of them are in memory. */
const MAX_LIMITS = 5000
const TIDY_BATCH = 1000

/** Whether a rule stands for each and counts nobody. */
const isUncounted = ({ limit, subjectId }: LimitRule): boolean => isForEach(limit) && subjectId === limit.subject.id

/** Creates the limits over their store. */
export function createLimits(options: LimitsOptions): Limits {
  const { store, counters, queue, book, clock, hasModel, nameEndUser = (endUser) => endUser } = options

  const restart = (id: string, change: () => Promise<boolean>): Promise<boolean> =>
    counters.restart?.(id, change) ?? change()

  async function describe(rules: readonly LimitRule[], call: CallOptions): Promise<readonly LimitStatus[]> {
    const counted = rules.filter((rule) => !isUncounted(rule))
    if (counted.length === 0) return rules.map((rule) => toStatus(rule, undefined))
    await withSignal(queue.settled(), call.signal)
    const found = await counters.readCounters(
      counted.map(({ id }) => id),
      call,
    )
    const byId = new Map(found.map((counter) => [counter.ruleId, counter]))
    return rules.map((rule) => toStatus(rule, byId.get(rule.id)))
  }

  function toStatus(rule: LimitRule, stored: QuotaCounter | undefined): LimitStatus {
    if (isUncounted(rule)) return { ...rule.limit, countedId: undefined, count: undefined }
    const counter = currentCounter(rule, stored, clock.now())
    const { requests, tokens, costMicros = 0, parallel = 0 } = counter
    const resetsAt = windowEnd(rule, counter)
    const count = { requests, tokens, costMicros, parallel, resetsAt }
    return { ...rule.limit, countedId: rule.subjectId, count }
  }

  async function find(id: string, call: CallOptions): Promise<Limit> {
    const limit = (await store.list(call)).find((each) => each.id === id)
    if (limit === undefined) throw missing('limit not found')
    return limit
  }

  async function describeOne(limit: Limit, call: CallOptions, of?: string): Promise<LimitStatus> {
    const [status] = await describe([toLimitRule(limit, of)], call)
    if (status === undefined) throw missing('limit not found')
    return status
  }

  return {
    async list(call) {
      return describe(
        (await store.list(call)).map((limit) => toLimitRule(limit)),
        call,
      )
    },
    async read(id, call) {
      const limit = await find(id, call)
      const of = isForEach(limit) && call.of !== '' ? call.of : undefined
      const isNamed = of !== undefined && limit.subject.kind === 'end_user'
      return describeOne(limit, call, isNamed ? nameEndUser(of) : of)
    },
    readOwn: async (principal, call) => describe(await book.matchOwn(principal, call), call),
    async create(draft, call) {
      const limit: Limit = { id: createId(), ...readLimitDraft(draft, { hasModel }), createdAt: clock.now() }
      if (!(await store.create(limit, { ...call, most: MAX_LIMITS }))) {
        throw new AuthError('conflict', `there are ${MAX_LIMITS} limits already`, { code: 'too_many_limits' })
      }
      book.forget()
      return describeOne(limit, call)
    },
    async change(id, draft, call) {
      const before = await find(id, call)
      const limit: Limit = { ...before, ...readLimitDraft(draft, { before, hasModel }) }
      const isOtherMoney = before.currency !== '' && before.currency !== limit.currency
      const restarts = isOtherMoney || JSON.stringify(before.window) !== JSON.stringify(limit.window)
      const write = (): Promise<boolean> => store.change(limit, { ...call, restarts })
      if (!(await (restarts ? restart(id, write) : write()))) throw missing('limit not found')
      book.forget()
      return describeOne(limit, call)
    },
    async remove(id, call) {
      if (!(await restart(id, () => store.remove(id, call)))) throw missing('limit not found')
      book.forget()
    },
    async tidy(call) {
      for (const limit of await store.list(call)) {
        if (!isForEach(limit)) continue
        const rule = toLimitRule(limit)
        const length = limit.window.kind === 'rolling' ? limit.window.ms : 0
        const bounds = { before: windowStart(rule, clock.now()) - length, limit: TIDY_BATCH }
        while ((await store.removeOldCounters(limit.id, { ...call, ...bounds })) === TIDY_BATCH) {
          call.signal.throwIfAborted()
        }
      }
      for (let after: string | undefined = ''; after !== undefined; call.signal.throwIfAborted()) {
        after = await counters.removeStray({ ...call, after, limit: TIDY_BATCH })
      }
    },
  }
}
