import type { CounterChange, LimitRule, QuotaCounter } from '../ports/usage.ts'

/** A limit of which a large part is used. */
export interface LimitNotice {
  readonly rule: LimitRule
  /** The part that is used or reserved, percent. */
  readonly percent: 80 | 100
}

const SHARES = [100, 80] as const
/** Notices that are remembered, so that each goes out once in a window. */
const MAX_KNOWN = 10_000

function findShare({ maxRequests, maxTokens, maxCostMicros }: LimitRule, counter: QuotaCounter): number {
  const parts = [
    [counter.requests, maxRequests],
    [counter.tokens, maxTokens],
    [counter.costMicros ?? 0, maxCostMicros],
  ] as const
  return Math.max(0, ...parts.map(([used, most]) => (most === undefined ? 0 : most === 0 ? 100 : (used * 100) / most)))
}

/** Tells once in a window of each limit that it has passed a share. */
export function createLimitNotices(tell: (notice: LimitNotice) => void) {
  const known = new Map<string, number>()

  function note(rule: LimitRule, window: number, percent: 80 | 100): void {
    const key = `${rule.id} ${window}`
    if ((known.get(key) ?? 0) >= percent) return
    known.delete(key)
    known.set(key, percent)
    const [oldest] = known.keys()
    if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest)
    tell({ rule, percent })
  }

  /** One notice for each window; the parts of a rolling one follow each other, so its length counts. */
  const toWindow = (rule: LimitRule, { windowStart }: QuotaCounter): number =>
    rule.span?.kind === 'rolling' ? Math.floor(windowStart / rule.windowMs) : windowStart

  return {
    change({ rule, after }: CounterChange): void {
      if (!('limit' in rule)) return
      const share = findShare(rule, after)
      const percent = SHARES.find((each) => share >= each)
      if (percent !== undefined) note(rule, toWindow(rule, after), percent)
    },
    refusal(rule: LimitRule, counter: QuotaCounter): void {
      note(rule, toWindow(rule, counter), 100)
    },
  }
}

export type LimitNotices = ReturnType<typeof createLimitNotices>
