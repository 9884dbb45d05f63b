import { checkModelExists } from '../check-model.ts'
import { checkText } from '../check-text.ts'
import { formatDuration, parseDuration } from '../duration.ts'
import { invalidValue, missing } from '../errors.ts'
import type { CallOptions, Clock } from '../ports/clock.ts'
import type { QuotaRule, QuotaStore } from '../ports/usage.ts'
import type { Revocations } from '../revocations.ts'
import { createId } from '../token-hasher.ts'
import { withSignal } from '../with-signal.ts'
import type { QuotaQueue } from './quota-queue.ts'
import { currentCounter } from './windows.ts'

/** A rule with its count in the current window. */
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

/** The rules of accounts. */
export interface QuotaRules {
  readStatus(userId: string, options: CallOptions): Promise<readonly QuotaStatus[]>
  /** The rules of several accounts with their counts. */
  readStatuses(userIds: readonly string[], options: CallOptions): Promise<readonly QuotaStatus[]>
  /** Creates the rule of an account and a model, or changes it; its window begins now. */
  putRule(userId: string, draft: QuotaDraft, options: CallOptions): Promise<QuotaStatus>
  /** @throws {AuthError} `not_found` */
  removeRule(rule: { readonly id: string; readonly userId: string }, options: CallOptions): Promise<void>
}

/** Dependencies of the rules. */
export interface QuotaRulesOptions {
  readonly store: QuotaStore
  readonly queue: Pick<QuotaQueue, 'settled'>
  readonly clock: Pick<Clock, 'now'>
  readonly revocations: Revocations
  /** Whether there is a model of a name, for new rules. @default there is one of every name */
  readonly hasModel?: ((name: string) => boolean) | undefined
}

const MAX_MODEL_LENGTH = 200
const MAX_WINDOW_MS = 366 * 86_400_000
const MIN_WINDOW_MS = 1000

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

/** Creates the rules of accounts over their store. */
export function createQuotaRules(options: QuotaRulesOptions): QuotaRules {
  const { store, queue, clock, revocations, hasModel } = options

  const toStatus = (rule: QuotaRule, stored: Parameters<typeof currentCounter>[1]): QuotaStatus => {
    const { requests, tokens, windowStart } = currentCounter(rule, stored, clock.now())
    const { windowMs } = rule
    return { ...rule, window: formatDuration(windowMs), requests, tokens, resetsAt: windowStart + windowMs }
  }

  async function readStatuses(userIds: readonly string[], call: CallOptions): Promise<readonly QuotaStatus[]> {
    await withSignal(queue.settled(), call.signal)
    const rules = await store.listRulesByUsers(userIds, call)
    const found = await store.readCounters(
      rules.map(({ id }) => id),
      call,
    )
    const counters = new Map(found.map((counter) => [counter.ruleId, counter]))
    return rules.map((rule) => toStatus(rule, counters.get(rule.id)))
  }

  return {
    readStatus: (userId, call) => readStatuses([userId], call),
    readStatuses,
    async putRule(userId, draft, call) {
      const model = checkText(draft.model ?? '', { name: 'model', maxLength: MAX_MODEL_LENGTH, isOptional: true })
      if (model !== '') checkModelExists(model, { hasModel, field: 'model' })
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
  }
}
