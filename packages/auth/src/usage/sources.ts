import type { UsageGroup, UsageSource } from '../ports/usage.ts'

/** Tokens and requests together. */
export interface Total {
  readonly tokens: number
  readonly requests: number
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

const add = <T extends Total>(total: T, { totalTokens, requests }: UsageGroup): T => ({
  ...total,
  tokens: total.tokens + totalTokens,
  requests: total.requests + requests,
})

function sumBy<T extends Total>(
  groups: readonly UsageGroup[],
  { toKey, toEmpty }: { readonly toKey: (group: UsageGroup) => string; readonly toEmpty: (group: UsageGroup) => T },
): readonly T[] {
  const sums = new Map<string, T>()
  for (const group of groups) {
    const key = toKey(group)
    sums.set(key, add(sums.get(key) ?? toEmpty(group), group))
  }
  return [...sums.values()].sort((left, right) => right.tokens - left.tokens)
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
      bySource: Object.fromEntries(sources.map(({ source, tokens, requests }) => [source, { tokens, requests }])),
      byKey: sumKeys(keyed).slice(0, MAX_KEY_TOTALS),
      ...(isForAdmin ? { byUserSource } : {}),
      grandTotal: groups.reduce<Total>(add, NOTHING),
    },
    isTruncated: new Set(keyed.map(({ apiKeyId }) => apiKeyId)).size > MAX_KEY_TOTALS,
  }
}
