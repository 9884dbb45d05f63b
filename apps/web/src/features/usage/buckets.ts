import type { Period } from './search.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Months of a report without a limit that are drawn at most. */
const MAX_MONTHS = 120

/**
 * The names of all buckets of a period in their order, so that the ones without usage are there too. They are named as
 * the server names them, in UTC: `2026-01-31 09:00`, `2026-01-31` or `2026-01`.
 *
 * @param named buckets with usage; they are never left out
 */
export function listBuckets(period: Period, named: readonly string[], now = Date.now()): string[] {
  const buckets = new Set([...enumerate(period, named, now), ...named])
  return [...buckets].sort()
}

function enumerate(period: Period, named: readonly string[], now: number): string[] {
  const back = (count: number, sizeMs: number, write: (time: number) => string) =>
    Array.from({ length: count }, (_, index) => write(now - (count - 1 - index) * sizeMs))
  switch (period) {
    case 'day':
      return back(24, HOUR_MS, writeHour)
    case 'week':
      return back(7, DAY_MS, writeDay)
    case 'month':
      return back(30, DAY_MS, writeDay)
    case 'all':
      return listMonths([...named].sort()[0], now)
  }
}

const writeHour = (time: number): string => `${new Date(time).toISOString().slice(0, 13).replace('T', ' ')}:00`
const writeDay = (time: number): string => new Date(time).toISOString().slice(0, 10)
const writeMonth = (time: number): string => new Date(time).toISOString().slice(0, 7)

function listMonths(first: string | undefined, now: number): string[] {
  const [year, month] = (first ?? writeMonth(now)).split('-').map(Number)
  const months: string[] = []
  for (let index = 0; index < MAX_MONTHS; index += 1) {
    const time = Date.UTC(year ?? 1970, (month ?? 1) - 1 + index, 1)
    if (time > now || Number.isNaN(time)) break
    months.push(writeMonth(time))
  }
  return months
}

/** The short text of a bucket below the axis. */
export function shortenBucket(bucket: string): string {
  if (bucket.length > 10) return bucket.slice(11)
  return bucket.length > 7 ? bucket.slice(5) : bucket
}
