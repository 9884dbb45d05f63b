import type { UsageQuery } from '../ports/usage.ts'
import { DAY_MS } from './buckets.ts'

/** A stretch of time that reports cover (§4.2). */
export interface UsagePeriod {
  readonly name: 'day' | 'week' | 'month' | 'all'
  readonly bucket: UsageQuery['bucket']
  /** Length of the period before now, milliseconds; undefined means from the beginning. */
  readonly lengthMs: number | undefined
}

const PERIODS: Readonly<Record<UsagePeriod['name'], UsagePeriod>> = {
  day: { name: 'day', bucket: 'hour', lengthMs: DAY_MS },
  week: { name: 'week', bucket: 'day', lengthMs: 7 * DAY_MS },
  month: { name: 'month', bucket: 'day', lengthMs: 30 * DAY_MS },
  all: { name: 'all', bucket: 'month', lengthMs: undefined },
}

const isName = (text: unknown): text is UsagePeriod['name'] => typeof text === 'string' && Object.hasOwn(PERIODS, text)

/** The period of a query; anything but `day`, `week` and `all` is a month. */
export function readPeriod(text: unknown): UsagePeriod {
  return isName(text) ? PERIODS[text] : PERIODS.month
}
