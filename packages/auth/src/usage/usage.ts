import { SvcError } from '@svc/errors'
import type { CallOptions, Clock } from '../ports/clock.ts'
import type { UsageGroup, UsageLabel, UsageQuery, UsageStore } from '../ports/usage.ts'
import { DAY_MS, labelBucket } from './buckets.ts'
import { sumCosts, type UsageCosts } from './costs.ts'
import { readPeriod, type UsagePeriod } from './periods.ts'
import { reportSources, type SourcesReport } from './sources.ts'
import type { UsageTotals } from './sums.ts'

/** Options of {@link createUsage}. */
export interface UsageOptions {
  readonly store: UsageStore
  readonly clock: Pick<Clock, 'now'>
  /** Groups of one report. A report with more leaves keys and former names of accounts out. @default 50000 */
  readonly maxGroups?: number | undefined
  /** Single records that are kept; sums stay longer. @default 1000000 */
  readonly maxRecords?: number | undefined
  /** Age up to which single records are kept, milliseconds. @default 90 days */
  readonly maxRecordAgeMs?: number | undefined
}

/** A group with the label of its bucket. */
export interface UsageRow extends UsageGroup {
  readonly bucket: string
}

/** Usage over time (§4.2). */
export interface UsageReport {
  readonly rows: readonly UsageRow[]
  readonly totals: UsageTotals
  /** The costs of all rows. */
  readonly costs: UsageCosts
}

/** The account whose usage is asked for. */
export interface UsageAudience {
  /** The period of the query; see {@link readPeriod}. */
  readonly period: unknown
  /**
   * `own` is an account's own view: without shared keys and totals of accounts. It needs `userId`.
   */
  readonly view: 'all' | 'own'
  readonly userId?: string | undefined
  readonly apiKeyId?: string | undefined
  /** Only usage with an end user or a tag. @default all usage */
  readonly label?: UsageLabel | undefined
}

/** Reports over usage, and its upkeep. */
export interface Usage {
  readUsage(audience: UsageAudience, options: CallOptions): Promise<UsageReport>
  readSources(
    audience: UsageAudience,
    options: CallOptions,
  ): Promise<Omit<SourcesReport, 'buckets'> & { readonly buckets: readonly UsageRow[] }>
  /** Names the source of records of old databases; done at start, any number of times. */
  backfillSources(options: CallOptions): Promise<number>
  /**
   * Removes a batch of single records that are too many or too old, of sums of hours after 62 days and of sums of days
   * after 400 days. @returns how many; call again until 0
   */
  prune(options: CallOptions): Promise<number>
}

const MAX_GROUPS = 50_000
const MAX_RECORDS = 1_000_000
const MAX_RECORD_AGE_MS = 90 * DAY_MS
const PRUNE_BATCH = 1000
/** Longer than any period that reads sums of hours. */
const MAX_HOUR_AGE_MS = 62 * DAY_MS
const MAX_DAY_AGE_MS = 400 * DAY_MS

/** Rows with the labels of their buckets; each label is written once. */
function toRows(groups: readonly UsageGroup[], { bucket }: UsagePeriod): readonly UsageRow[] {
  const labels = new Map<number, string>()
  return groups.map((group) => {
    const label = labels.get(group.bucketStart) ?? labelBucket(group.bucketStart, bucket)
    labels.set(group.bucketStart, label)
    return { ...group, bucket: label }
  })
}

/** Adds up groups. */
export function sumUsage(groups: readonly UsageTotals[]): UsageTotals {
  const sum = (read: (one: UsageTotals) => number): number => groups.reduce((total, one) => total + read(one), 0)
  return {
    promptTokens: sum((one) => one.promptTokens),
    completionTokens: sum((one) => one.completionTokens),
    totalTokens: sum((one) => one.totalTokens),
    requests: sum((one) => one.requests),
    cachedTokens: sum((one) => one.cachedTokens),
    reasoningTokens: sum((one) => one.reasoningTokens),
    estimatedTokens: sum((one) => one.estimatedTokens),
    estimatedRequests: sum((one) => one.estimatedRequests),
    seconds: sum((one) => one.seconds),
    characters: sum((one) => one.characters),
    images: sum((one) => one.images),
    cacheWriteTokens: sum((one) => one.cacheWriteTokens),
  }
}

/** Usage over its store. */
export function createUsage(options: UsageOptions): Usage {
  const { store, clock, maxGroups = MAX_GROUPS } = options
  const { maxRecords = MAX_RECORDS, maxRecordAgeMs = MAX_RECORD_AGE_MS } = options

  async function group(
    audience: UsageAudience,
    period: UsagePeriod,
    call: CallOptions & { readonly byModel: boolean },
  ) {
    const { view, userId, apiKeyId, label } = audience
    const query: UsageQuery = {
      bucket: period.bucket,
      since: period.lengthMs === undefined ? undefined : clock.now() - period.lengthMs,
      // an own view without an account is a view of nobody
      userId: view === 'own' ? (userId ?? '') : userId,
      apiKeyId,
      withoutLegacy: view === 'own',
      byModel: call.byModel,
      label,
    }
    const bounds = { signal: call.signal, limit: maxGroups }
    try {
      return await store.group(query, bounds)
    } catch (error) {
      if (!SvcError.is(error) || error.code !== 'too_many_rows' || label?.isGroup === true) throw error
      // Keys and names of one account, in any number, must not keep others from their reports.
      return store.group({ ...query, byKey: false }, bounds)
    }
  }

  return {
    async readUsage(audience, { signal }) {
      const period = readPeriod(audience.period)
      const groups = await group(audience, period, { signal, byModel: true })
      return {
        rows: toRows(
          [...groups].sort((left, right) => left.bucketStart - right.bucketStart),
          period,
        ),
        totals: sumUsage(groups),
        costs: sumCosts(groups),
      }
    },
    async readSources(audience, { signal }) {
      const period = readPeriod(audience.period)
      const groups = await group(audience, period, { signal, byModel: false })
      const report = reportSources(groups, { isForAdmin: audience.view === 'all' })
      return { ...report, buckets: toRows(report.buckets, period) }
    },
    backfillSources: (call) => store.backfillSources(call),
    prune(call) {
      const now = clock.now()
      const before = now - maxRecordAgeMs
      const [hoursBefore, daysBefore] = [now - MAX_HOUR_AGE_MS, now - MAX_DAY_AGE_MS]
      return store.prune({ maxRecords, before, hoursBefore, daysBefore, limit: PRUNE_BATCH }, call)
    },
  }
}
