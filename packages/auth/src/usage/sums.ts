import type { UsageGroup, UsageQuery, UsageRecord } from '../ports/usage.ts'
import { startOfBucket } from './buckets.ts'

/** Width of a sum. */
export type UsageSpan = UsageQuery['bucket']

/** All widths, from the finest. */
export const USAGE_SPANS = ['hour', 'day', 'month'] as const satisfies readonly UsageSpan[]

/** Sums of one hour, day or month, of one account, source, key, model and currency. */
export interface UsageSum extends Omit<UsageGroup, 'bucketStart'> {
  readonly span: UsageSpan
  /** Milliseconds since the epoch. */
  readonly start: number
}

/** Figures that add up. */
export type UsageTotals = Pick<
  UsageGroup,
  | 'promptTokens'
  | 'completionTokens'
  | 'totalTokens'
  | 'requests'
  | 'cachedTokens'
  | 'reasoningTokens'
  | 'estimatedTokens'
  | 'estimatedRequests'
  | 'seconds'
  | 'characters'
  | 'images'
  | 'cacheWriteTokens'
>

type Sums = UsageTotals & Pick<UsageGroup, 'costMicros' | 'unpricedRequests' | 'lastUsedAt'>

function add<T extends Sums>(left: T, right: Sums): T {
  return {
    ...left,
    promptTokens: left.promptTokens + right.promptTokens,
    completionTokens: left.completionTokens + right.completionTokens,
    totalTokens: left.totalTokens + right.totalTokens,
    requests: left.requests + right.requests,
    cachedTokens: left.cachedTokens + right.cachedTokens,
    reasoningTokens: left.reasoningTokens + right.reasoningTokens,
    estimatedTokens: left.estimatedTokens + right.estimatedTokens,
    estimatedRequests: left.estimatedRequests + right.estimatedRequests,
    seconds: left.seconds + right.seconds,
    characters: left.characters + right.characters,
    images: left.images + right.images,
    cacheWriteTokens: left.cacheWriteTokens + right.cacheWriteTokens,
    costMicros: left.costMicros + right.costMicros,
    unpricedRequests: left.unpricedRequests + right.unpricedRequests,
    lastUsedAt: Math.max(left.lastUsedAt, right.lastUsedAt),
  }
}

function joinKey(parts: Omit<UsageGroup, keyof Sums | 'bucketStart'>, start: string | number): string {
  const { model, userId, userName, source, apiKeyId, apiKeyName, currency, labelValue } = parts
  return JSON.stringify([start, userId, userName, source, apiKeyId, apiKeyName, model, currency, labelValue])
}

/** Adds groups of the same bucket, model, account, source, key and currency. */
export function mergeGroups(groups: readonly UsageGroup[]): readonly UsageGroup[] {
  const merged = new Map<string, UsageGroup>()
  for (const group of groups) {
    const key = joinKey(group, group.bucketStart)
    const before = merged.get(key)
    merged.set(key, before === undefined ? group : add(before, group))
  }
  return [...merged.values()]
}

/** Text that is the same for sums that belong together. */
export function joinSumKey(sum: UsageSum): string {
  return joinKey(sum, `${sum.span} ${sum.start}`)
}

/** Adds two sums that belong together. */
export function addSums(left: UsageSum, right: UsageSum): UsageSum {
  return add(left, right)
}

/** The sums of one record. */
export function toSum(record: UsageRecord, span: UsageSpan): UsageSum {
  const { model, userId, userName, source, apiKeyId = '', apiKeyName = '', createdAt } = record
  const { promptTokens, completionTokens, totalTokens, cachedTokens = 0, reasoningTokens = 0 } = record
  const { seconds = 0, characters = 0, images = 0, cacheWriteTokens = 0, currency = '', costMicros } = record
  const isEstimated = record.isEstimated === true
  return {
    span,
    start: startOfBucket(createdAt, span),
    model,
    userId,
    userName,
    source,
    apiKeyId,
    apiKeyName,
    promptTokens,
    completionTokens,
    totalTokens,
    requests: 1,
    lastUsedAt: createdAt,
    cachedTokens,
    reasoningTokens,
    estimatedTokens: isEstimated ? totalTokens : 0,
    estimatedRequests: isEstimated ? 1 : 0,
    seconds,
    characters,
    images,
    cacheWriteTokens,
    currency,
    costMicros: costMicros ?? 0,
    unpricedRequests: isUnpriced(record) ? 1 : 0,
  }
}

/** Whether the cost of a record is unknown although costs were counted. */
function isUnpriced({ costMicros, currency = '' }: UsageRecord): boolean {
  return costMicros === undefined && currency !== ''
}

type GrowingSum = { -readonly [Field in keyof UsageSum]: UsageSum[Field] }

/** Sums of hours. Most records of a batch belong to a few of them, so a record costs one look-up and no new object. */
function sumHours(records: readonly UsageRecord[]): readonly UsageSum[] {
  const hours = new Map<string, GrowingSum>()
  for (const record of records) {
    const { userId, userName, source, apiKeyId = '', apiKeyName = '', model, createdAt, currency = '' } = record
    const start = startOfBucket(createdAt, 'hour')
    const key = `${start}\0${userId}\0${userName}\0${source}\0${apiKeyId}\0${apiKeyName}\0${model}\0${currency}`
    const sum = hours.get(key)
    if (sum === undefined) {
      hours.set(key, toSum(record, 'hour'))
      continue
    }
    sum.promptTokens += record.promptTokens
    sum.completionTokens += record.completionTokens
    sum.totalTokens += record.totalTokens
    sum.requests += 1
    sum.cachedTokens += record.cachedTokens ?? 0
    sum.reasoningTokens += record.reasoningTokens ?? 0
    sum.estimatedTokens += record.isEstimated === true ? record.totalTokens : 0
    sum.estimatedRequests += record.isEstimated === true ? 1 : 0
    sum.seconds += record.seconds ?? 0
    sum.characters += record.characters ?? 0
    sum.images += record.images ?? 0
    sum.cacheWriteTokens += record.cacheWriteTokens ?? 0
    sum.costMicros += record.costMicros ?? 0
    sum.unpricedRequests += isUnpriced(record) ? 1 : 0
    sum.lastUsedAt = Math.max(sum.lastUsedAt, createdAt)
  }
  return [...hours.values()]
}

/** The sums of records by hour, day and month, in one order for all writers. */
export function sumRecords(records: readonly UsageRecord[]): readonly UsageSum[] {
  const hours = sumHours(records)
  const sums = new Map<string, UsageSum>()
  for (const span of USAGE_SPANS) {
    for (const hour of hours) {
      const sum = { ...hour, span, start: startOfBucket(hour.start, span) }
      const key = joinSumKey(sum)
      const before = sums.get(key)
      sums.set(key, before === undefined ? sum : add(before, sum))
    }
  }
  return [...sums].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, sum]) => sum)
}
