/** A finished request as the summary counts it. */
export interface RequestSample {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly durationMs: number
  readonly isFailed: boolean
}

/** Requests of one part of the window. */
export interface SummaryBucket {
  /** Milliseconds since the epoch. */
  readonly start: number
  readonly count: number
  readonly errors: number
}

/** Requests of the last hours. */
export interface RequestSummary {
  readonly total: number
  readonly errors: number
  /** Nearest rank; 0 without requests. */
  readonly p95Ms: number
  /** The oldest first. */
  readonly buckets: readonly SummaryBucket[]
}

/** Number of buckets. */
const BUCKETS = 12
const HOUR_MS = 3_600_000
const DEFAULT_HOURS = 24
/** The longest window, 7 days. */
export const MAX_HOURS = 168

/** Reads the length of the window in hours: a number above 0, 168 at most; anything else is 24. */
export function readHours(text: string | undefined): number {
  const hours = text === undefined || !/^\+?\d{1,15}$/.test(text) ? 0 : Number(text)
  return hours <= 0 ? DEFAULT_HOURS : Math.min(hours, MAX_HOURS)
}

/** The requests that a summary counts. */
export interface CountedRequests {
  readonly length: number
  visit(take: (at: number, durationMs: number, isFailed: boolean) => void): void
}

/** Counts the requests between `now - hours` and `now`, both included. */
export function summarize(
  requests: CountedRequests,
  { now, hours }: { readonly now: number; readonly hours: number },
): RequestSummary {
  const windowMs = hours * HOUR_MS
  const start = now - windowMs
  const counts = new Uint32Array(BUCKETS)
  const errors = new Uint32Array(BUCKETS)
  const durations = new Uint32Array(requests.length)
  let total = 0
  requests.visit((at, durationMs, isFailed) => {
    if (at < start || at > now) return
    const bucket = Math.min(BUCKETS - 1, Math.floor(((at - start) * BUCKETS) / windowMs))
    counts[bucket] = (counts[bucket] ?? 0) + 1
    if (isFailed) errors[bucket] = (errors[bucket] ?? 0) + 1
    durations[total] = durationMs
    total += 1
  })
  return {
    total,
    errors: errors.reduce((sum, count) => sum + count, 0),
    p95Ms: findNearestRank(durations.subarray(0, total), 0.95),
    buckets: Array.from(counts, (count, index) => ({
      start: start + (index * windowMs) / BUCKETS,
      count,
      errors: errors[index] ?? 0,
    })),
  }
}

const HALF_BITS = 16
const HALF_SIZE = 2 ** HALF_BITS

/** Finds the nearest-rank percentile; 0 of an empty list. Counting by halves of the numbers takes less time than sorting. */
function findNearestRank(values: Uint32Array, share: number): number {
  if (values.length === 0) return 0
  const rank = Math.ceil(values.length * share)
  const upper = new Uint32Array(HALF_SIZE)
  for (const value of values) count(upper, value >>> HALF_BITS)
  const high = findRank(upper, rank)
  const lower = new Uint32Array(HALF_SIZE)
  for (const value of values) if (value >>> HALF_BITS === high.index) count(lower, value % HALF_SIZE)
  return high.index * HALF_SIZE + findRank(lower, rank - high.before).index
}

function count(counts: Uint32Array, index: number): void {
  counts[index] = (counts[index] ?? 0) + 1
}

/** Finds the first index at which the counts reach a rank. @returns also how many are before it */
function findRank(counts: Uint32Array, rank: number): { readonly index: number; readonly before: number } {
  let before = 0
  for (let index = 0; index < counts.length; index += 1) {
    const here = counts[index] ?? 0
    if (before + here >= rank) return { index, before }
    before += here
  }
  return { index: counts.length - 1, before }
}
