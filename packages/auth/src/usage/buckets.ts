import type { UsageQuery } from '../ports/usage.ts'

/** Milliseconds of an hour. */
export const HOUR_MS = 3_600_000
/** Milliseconds of a day. */
export const DAY_MS = 86_400_000

/** Start of the hour of a time, milliseconds since the epoch, UTC. */
export function startOfHour(time: number): number {
  return Math.floor(time / HOUR_MS) * HOUR_MS
}

/** Start of the month of a time, milliseconds since the epoch, UTC. */
export function startOfMonth(time: number): number {
  const date = new Date(time)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

/** Start of the bucket of a time, milliseconds since the epoch, UTC. */
export function startOfBucket(time: number, bucket: UsageQuery['bucket']): number {
  if (bucket === 'hour') return startOfHour(time)
  return bucket === 'month' ? startOfMonth(time) : Math.floor(time / DAY_MS) * DAY_MS
}

/** The label of a bucket: `2026-01-31 23:00`, `2026-01-31` or `2026-01`. */
export function labelBucket(start: number, bucket: UsageQuery['bucket']): string {
  const text = new Date(start).toISOString()
  if (bucket === 'hour') return `${text.slice(0, 10)} ${text.slice(11, 13)}:00`
  return text.slice(0, bucket === 'month' ? 7 : 10)
}
