import type { UsageGroup, UsageRecord } from '../ports/usage.ts'
import { startOfHour, startOfMonth } from './buckets.ts'

/** Sums of one hour. */
export interface UsageHour extends Omit<UsageGroup, 'bucketStart'> {
  /** Start of the hour, milliseconds since the epoch. */
  readonly hour: number
  /** Start of the month of the hour. */
  readonly month: number
}

type Sums = Pick<UsageGroup, 'promptTokens' | 'completionTokens' | 'totalTokens' | 'requests' | 'lastUsedAt'>

function add<T extends Sums>(left: T, right: Sums): T {
  return {
    ...left,
    promptTokens: left.promptTokens + right.promptTokens,
    completionTokens: left.completionTokens + right.completionTokens,
    totalTokens: left.totalTokens + right.totalTokens,
    requests: left.requests + right.requests,
    lastUsedAt: Math.max(left.lastUsedAt, right.lastUsedAt),
  }
}

function keyText(parts: Omit<UsageGroup, keyof Sums | 'bucketStart'>, start: number): string {
  const { model, userId, userName, source, apiKeyId, apiKeyName } = parts
  return JSON.stringify([start, userId, userName, source, apiKeyId, apiKeyName, model])
}

/** Adds groups of the same bucket, model, account, source and key. */
export function mergeGroups(groups: readonly UsageGroup[]): readonly UsageGroup[] {
  const merged = new Map<string, UsageGroup>()
  for (const group of groups) {
    const key = keyText(group, group.bucketStart)
    const before = merged.get(key)
    merged.set(key, before === undefined ? group : add(before, group))
  }
  return [...merged.values()]
}

/** The sums that records add to their hours, in one order for everybody who writes them. */
export function sumHours(records: readonly UsageRecord[]): readonly UsageHour[] {
  const hours = new Map<string, UsageHour>()
  for (const record of records) {
    const hour = startOfHour(record.createdAt)
    const { model, userId, userName, source, apiKeyId = '', apiKeyName = '', createdAt } = record
    const { promptTokens, completionTokens, totalTokens } = record
    const names = { model, userId, userName, source, apiKeyId, apiKeyName }
    const sums = { promptTokens, completionTokens, totalTokens, requests: 1, lastUsedAt: createdAt }
    const key = keyText(names, hour)
    const before = hours.get(key)
    hours.set(
      key,
      before === undefined ? { hour, month: startOfMonth(createdAt), ...names, ...sums } : add(before, sums),
    )
  }
  return [...hours].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, hour]) => hour)
}

/** Adds the sums of two hours with the same names. */
export function addHours(left: UsageHour, right: UsageHour): UsageHour {
  return add(left, right)
}

/** Text that is the same for hours with the same start and names. */
export function hourKey(hour: UsageHour): string {
  return keyText(hour, hour.hour)
}
