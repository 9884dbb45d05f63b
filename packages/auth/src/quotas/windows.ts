import type { CalendarUnit } from '../ports/limits.ts'
import type { CounterBucket, QuotaCounter, RuleBounds } from '../ports/usage.ts'

type RuleWindow = Pick<RuleBounds, 'createdAt' | 'windowMs' | 'span'>

/** Parts of a rolling window. */
const PARTS = 60

/** Width of a part of a rolling window, milliseconds. */
const partMs = (windowMs: number): number => Math.max(1, Math.ceil(windowMs / PARTS))

/** Start of a unit of the calendar that a time lies in, and of the next one. */
function calendarBounds(unit: CalendarUnit, now: number): { readonly start: number; readonly end: number } {
  const date = new Date(now)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  if (unit === 'month') return { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) }
  const length = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }[unit]
  // time since the epoch has no leap seconds, so days in UTC are multiples
  const start = Math.floor(now / length) * length
  return { start, end: start + length }
}

/**
 * Start of the window of a rule that a time lies in, milliseconds since the epoch. Windows follow each other; of a
 * rolling window it is the start of the part that the time lies in.
 */
export function windowStart({ createdAt, windowMs, span }: RuleWindow, now: number): number {
  if (span?.kind === 'calendar') return calendarBounds(span.unit, now).start
  if (span?.kind === 'rolling') return Math.floor(now / partMs(windowMs)) * partMs(windowMs)
  return createdAt + Math.floor(Math.max(0, now - createdAt) / windowMs) * windowMs
}

/** Time at which a counter is back at zero if nothing more is counted, milliseconds since the epoch. */
export function windowEnd(rule: RuleWindow, counter: Pick<QuotaCounter, 'windowStart' | 'buckets'>): number {
  const { span, windowMs } = rule
  if (span?.kind === 'calendar') return calendarBounds(span.unit, counter.windowStart).end
  if (span?.kind !== 'rolling') return counter.windowStart + windowMs
  return bucketEnd(windowMs, counter.buckets?.at(-1) ?? { start: counter.windowStart })
}

/** Time at which the last use of a part of a rolling window has left the window: all of the part is out of it then. */
export function bucketEnd(windowMs: number, { start }: Pick<CounterBucket, 'start'>): number {
  return start + partMs(windowMs) + windowMs
}

/**
 * The counter of a rule at a time. It starts again with each window; the parts of a rolling one leave it one by one. A
 * counter of a later window stays, because the clock went back then. Open reservations stay with the counter.
 */
export function currentCounter(
  rule: RuleWindow & Pick<RuleBounds, 'id'>,
  stored: QuotaCounter | undefined,
  now: number,
): QuotaCounter {
  const start = windowStart(rule, now)
  if (stored !== undefined && stored.windowStart >= start) return stored
  const { parallel = 0, buckets = [] } = stored ?? {}
  const empty = { ruleId: rule.id, windowStart: start, requests: 0, tokens: 0, costMicros: 0, parallel }
  if (rule.span?.kind !== 'rolling') return empty
  return sumBuckets(
    empty,
    buckets.filter((bucket) => bucketEnd(rule.windowMs, bucket) > now),
  )
}

/** A counter whose figures are the sums of some parts. */
export function sumBuckets(counter: QuotaCounter, buckets: readonly CounterBucket[]): QuotaCounter {
  let [requests, tokens, costMicros] = [0, 0, 0]
  for (const bucket of buckets) {
    requests += bucket.requests
    tokens += bucket.tokens
    costMicros += bucket.costMicros
  }
  return { ...counter, requests, tokens, costMicros, buckets }
}
