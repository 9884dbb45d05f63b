import type { UsageGroup, UsageSource } from '../ports/usage.ts'
import { sumCosts, type UsageCosts } from './costs.ts'

/** Tokens, requests and costs together. */
export interface Total {
  readonly tokens: number
  readonly requests: number
  /** Absent where no costs were counted. */
  readonly costs?: UsageCosts | undefined
}

/** The usage of one key. A renamed key has an entry for each name. */
export interface KeyTotal extends Total {
  readonly apiKeyId: string
  readonly apiKeyName: string
  readonly userId: string
  readonly userName: string
  /** Milliseconds since the epoch. */
  readonly lastUsedAt: number
}

/** The usage of an account without keys of its own. */
export interface UserSourceTotal extends Total {
  readonly source: UsageSource
  readonly userId: string
  readonly userName: string
}

/** Usage by source and key (§4.2). */
export interface SourcesReport {
  readonly buckets: readonly UsageGroup[]
  readonly totals: {
    readonly bySource: Readonly<Partial<Record<UsageSource, Total>>>
    /** Most tokens first; at most {@link MAX_KEY_TOTALS}. */
    readonly byKey: readonly KeyTotal[]
    /** Present in reports for admins. */
    readonly byUserSource?: readonly UserSourceTotal[] | undefined
    readonly grandTotal: Total
  }
  /** Whether more keys than {@link MAX_KEY_TOTALS} were used. */
  readonly isTruncated: boolean
}

/** Keys that a report names (§8). */
export const MAX_KEY_TOTALS = 200

const NOTHING: Total = { tokens: 0, requests: 0 }

/** A total of some groups. */
function sum<T extends Total>(empty: T, groups: readonly UsageGroup[]): T {
  const costs = sumCosts(groups)
  return {
    ...empty,
    tokens: groups.reduce((total, { totalTokens }) => total + totalTokens, 0),
    requests: groups.reduce((total, { requests }) => total + requests, 0),
    ...(costs.costs.length === 0 && costs.unpricedRequests === 0 ? {} : { costs }),
  }
}

function sumBy<T extends Total>(
  groups: readonly UsageGroup[],
  { toKey, toEmpty }: { readonly toKey: (group: UsageGroup) => string; readonly toEmpty: (group: UsageGroup) => T },
): readonly T[] {
  const byKey = new Map<string, UsageGroup[]>()
  for (const group of groups) {
    const key = toKey(group)
    const known = byKey.get(key)
    if (known === undefined) byKey.set(key, [group])
    else known.push(group)
  }
  const sums = [...byKey.values()].flatMap((own) => own.slice(0, 1).map((first) => sum(toEmpty(first), own)))
  return sums.sort((left, right) => right.tokens - left.tokens)
}

function sumKeys(groups: readonly UsageGroup[]): readonly KeyTotal[] {
  const last = new Map<string, number>()
  const toKey = ({ apiKeyId, apiKeyName, userId, userName }: UsageGroup): string =>
    JSON.stringify([apiKeyId, apiKeyName, userId, userName])
  for (const group of groups) last.set(toKey(group), Math.max(last.get(toKey(group)) ?? 0, group.lastUsedAt))
  return sumBy(groups, {
    toKey,
    toEmpty: (group) => {
      const { apiKeyId, apiKeyName, userId, userName } = group
      return { ...NOTHING, apiKeyId, apiKeyName, userId, userName, lastUsedAt: last.get(toKey(group)) ?? 0 }
    },
  })
}

/**
 * The report over groups that count all models together.
 *
 * @param options.isForAdmin whether totals of accounts are among it
 */
export function reportSources(
  groups: readonly UsageGroup[],
  { isForAdmin }: { readonly isForAdmin: boolean },
): SourcesReport {
  const keyed = groups.filter(({ source }) => source === 'apikey')
  const sources = sumBy(groups, {
    toKey: ({ source }) => source,
    toEmpty: ({ source }) => ({ ...NOTHING, source }),
  })
  const byUserSource = sumBy(
    groups.filter(({ source }) => source !== 'apikey'),
    {
      toKey: ({ source, userId, userName }) => JSON.stringify([source, userId, userName]),
      toEmpty: ({ source, userId, userName }) => ({ ...NOTHING, source, userId, userName }),
    },
  )
  return {
    buckets: [...groups].sort((left, right) => left.bucketStart - right.bucketStart),
    totals: {
      bySource: Object.fromEntries(sources.map(({ source, ...total }) => [source, total])),
      byKey: sumKeys(keyed).slice(0, MAX_KEY_TOTALS),
      ...(isForAdmin ? { byUserSource } : {}),
      grandTotal: sum(NOTHING, groups),
    },
    isTruncated: new Set(keyed.map(({ apiKeyId }) => apiKeyId)).size > MAX_KEY_TOTALS,
  }
}
