/**
 * Usage (§2.6): the use of models, by account and key.
 *
 * @module
 */

export { labelBucket, startOfBucket } from './buckets.ts'
export { sumCosts, type UsageCosts } from './costs.ts'
export { END_USER_LABEL, OTHER_VALUE, toTagLabel } from './labels.ts'
export { readPeriod, type UsagePeriod } from './periods.ts'
export { createUsageRecorder, type UsageJournal, type UsageRecorder, type UsageRecorderOptions } from './recorder.ts'
export { type KeyTotal, MAX_KEY_TOTALS, type SourcesReport, type UserSourceTotal } from './sources.ts'
export type { UsageTotals } from './sums.ts'
export {
  createUsage,
  sumUsage,
  type Usage,
  type UsageOptions,
  type UsageReport,
  type UsageRow,
} from './usage.ts'
