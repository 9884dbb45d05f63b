import type { UsageQuery } from '../ports/usage.ts'

/** Milliseconds of an hour. */
export const HOUR_MS = 3_600_000
/** Milliseconds of a day. */
export const DAY_MS = 86_400_000

/** Start of the bucket of a time, milliseconds since the epoch, UTC. */
export function startOfBucket(time: number, bucket: UsageQuery['bucket']): number {
  if (bucket === 'month') {
    const date = new Date(time)
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
  }
  const width = bucket === 'hour' ? HOUR_MS : DAY_MS
  return Math.floor(time / width) * width
}

/** The label of a bucket: `2026-01-31 23:00`, `2026-01-31` or `2026-01`. */
export function labelBucket(start: number, bucket: UsageQuery['bucket']): string {
  const text = new Date(start).toISOString()
  if (bucket === 'hour') return `${text.slice(0, 10)} ${text.slice(11, 13)}:00`
  return text.slice(0, bucket === 'month' ? 7 : 10)
}
