import type { BoundKind, CounterBucket, QuotaCounter, RuleBounds } from '../ports/usage.ts'
import { bucketEnd, sumBuckets, windowEnd } from './windows.ts'

/** A change of a counter. */
export interface CountChange {
  readonly requests: number
  readonly tokens: number
  readonly costMicros: number
}

const atLeastZero = (value: number): number => Math.max(0, value)

/** Whether a counter still has the window, or the part of its rolling window, that began at a time. */
export function holdsWindow({ windowStart, buckets = [] }: QuotaCounter, start: number): boolean {
  return start === windowStart || buckets.some((bucket) => bucket.start === start)
}

/** Changes a counter. @param start of the window, or of the part of a rolling one, that the change belongs to */
export function addCount(counter: QuotaCounter, change: CountChange, start: number): QuotaCounter {
  if (counter.buckets !== undefined) return addToBucket(counter, change, start)
  return {
    ...counter,
    requests: atLeastZero(counter.requests + change.requests),
    tokens: atLeastZero(counter.tokens + change.tokens),
    costMicros: atLeastZero((counter.costMicros ?? 0) + change.costMicros),
  }
}

function addToBucket(counter: QuotaCounter, change: CountChange, start: number): QuotaCounter {
  const { buckets = [] } = counter
  const before = buckets.find((bucket) => bucket.start === start)
  const bucket: CounterBucket = {
    start,
    requests: atLeastZero((before?.requests ?? 0) + change.requests),
    tokens: atLeastZero((before?.tokens ?? 0) + change.tokens),
    costMicros: atLeastZero((before?.costMicros ?? 0) + change.costMicros),
  }
  const kept = before === undefined ? [...buckets, bucket] : buckets.map((each) => (each === before ? bucket : each))
  return sumBuckets(
    counter,
    kept.sort((left, right) => left.start - right.start),
  )
}

/** Counts a reservation, or gives back what it holds. Its window may be over; it was counted there then. */
export function moveReservation(
  counter: QuotaCounter,
  { windowStart, tokens, costMicros }: HeldAmounts,
  sign: 1 | -1,
): QuotaCounter {
  const moved = addParallel(counter, sign)
  if (!holdsWindow(moved, windowStart)) return moved
  return addCount(moved, { requests: sign, tokens: sign * tokens, costMicros: sign * costMicros }, windowStart)
}

/** What a reservation holds. */
export interface HeldAmounts {
  readonly windowStart: number
  readonly tokens: number
  readonly costMicros: number
}

/** Changes the number of open reservations of a counter. */
function addParallel(counter: QuotaCounter, change: number): QuotaCounter {
  return { ...counter, parallel: atLeastZero((counter.parallel ?? 0) + change) }
}

/** What a request asks for. */
export interface Demand {
  /** Tokens that it has used already. */
  readonly used: number
  readonly costMicros: number
}

/**
 * Names what is full for a request. Money has to suffice for all that the request may cost; for tokens it is enough
 * that some are left.
 */
export function findFull(rule: RuleBounds, counter: QuotaCounter, { used, costMicros }: Demand): BoundKind | undefined {
  const { maxRequests, maxTokens, maxCostMicros, maxParallel } = rule
  const spent = counter.costMicros ?? 0
  if (maxParallel !== undefined && (counter.parallel ?? 0) >= maxParallel) return 'parallel'
  if (maxRequests !== undefined && counter.requests >= maxRequests) return 'requests'
  if (maxTokens !== undefined && counter.tokens + used >= maxTokens) return 'tokens'
  if (maxCostMicros !== undefined && (spent >= maxCostMicros || spent + costMicros > maxCostMicros)) return 'cost'
  return undefined
}

/** Longest time after which a request that ran beside too many others may try again, milliseconds. */
const PARALLEL_RETRY_MS = 1000

/** Time from which on a full rule may have room for a request, milliseconds since the epoch. */
export function findRoom(rule: RuleBounds, counter: QuotaCounter, demand: Demand, now: number): number {
  if (findFull(rule, counter, demand) === 'parallel') return now + PARALLEL_RETRY_MS
  const { buckets = [] } = counter
  for (let left = 1; left < buckets.length; left += 1) {
    const oldest = buckets[left - 1]
    const rest = sumBuckets(counter, buckets.slice(left))
    if (oldest !== undefined && findFull(rule, rest, demand) === undefined) return bucketEnd(rule.windowMs, oldest)
  }
  return windowEnd(rule, counter)
}
