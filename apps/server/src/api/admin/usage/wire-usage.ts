import type { SourcesReport, UsageCosts, UsageReport, UsageRow, UsageTotals } from '@svc/auth/usage'
import type { UsageReply, UsageSourcesReply, WireUsageGroup, WireUsageRow } from '@svc/wire/native'

/** A report over sources whose buckets have labels. */
type LabelledSources = Omit<SourcesReport, 'buckets'> & { readonly buckets: readonly UsageRow[] }

function toWireRow(row: UsageRow): UsageSourcesReply['buckets'][number] {
  const isKeyed = row.source === 'apikey'
  return {
    bucket: row.bucket,
    user_id: row.userId,
    user_name: row.userName,
    source: row.source,
    ...(isKeyed ? { api_key_id: row.apiKeyId, api_key_name: row.apiKeyName } : {}),
    ...toWireFigures(row),
    ...toWireCost(row),
  }
}

/** The cost of a row; one that is unknown is left out and counted. */
function toWireCost({ currency, costMicros, unpricedRequests, requests }: UsageRow) {
  if (currency === '') return {}
  return {
    currency,
    ...(unpricedRequests < requests ? { cost_micros: costMicros } : {}),
    ...toWireUnpriced(unpricedRequests),
  }
}

const toWireUnpriced = (requests: number) => (requests === 0 ? {} : { unpriced_request_count: requests })

/** Costs by currency as they go out. */
export function toWireCosts({ costs, unpricedRequests }: UsageCosts) {
  return {
    ...(costs.length === 0
      ? {}
      : { costs: costs.map(({ currency, costMicros }) => ({ currency, cost_micros: costMicros })) }),
    ...toWireUnpriced(unpricedRequests),
  }
}

/** Takes away what adding fractions has left. */
const roundSeconds = (seconds: number): number => Math.round(seconds * 1000) / 1000

/** Figures as they go out. */
export function toWireFigures(sums: UsageTotals) {
  return {
    prompt_tokens: sums.promptTokens,
    completion_tokens: sums.completionTokens,
    total_tokens: sums.totalTokens,
    request_count: sums.requests,
    ...(sums.cachedTokens === 0 ? {} : { cached_tokens: sums.cachedTokens }),
    ...(sums.reasoningTokens === 0 ? {} : { reasoning_tokens: sums.reasoningTokens }),
    ...(sums.estimatedTokens === 0 ? {} : { estimated_tokens: sums.estimatedTokens }),
    ...(sums.estimatedRequests === 0 ? {} : { estimated_request_count: sums.estimatedRequests }),
    ...(sums.seconds === 0 ? {} : { media_seconds: roundSeconds(sums.seconds) }),
    ...(sums.characters === 0 ? {} : { spoken_characters: sums.characters }),
    ...(sums.images === 0 ? {} : { images: sums.images }),
    ...(sums.cacheWriteTokens === 0 ? {} : { cache_write_tokens: sums.cacheWriteTokens }),
  }
}

/** A sum by the values of a label as it goes out. */
export function toWireGroup(row: UsageRow): WireUsageGroup {
  return { bucket: row.bucket, value: row.labelValue ?? '', ...toWireFigures(row), ...toWireCost(row) }
}

/** Usage over time as it goes out (§4.2). @param groupBy what the report is grouped by; then the rows are in `groups` */
export function toUsageReply({ rows, totals, costs }: UsageReport, groupBy = ''): UsageReply {
  if (groupBy !== '') {
    const sums = { ...toWireFigures(totals), ...toWireCosts(costs) }
    return { usage: [], group_by: groupBy, groups: rows.map(toWireGroup), totals: sums }
  }
  return {
    usage: rows.map((row): WireUsageRow => {
      const { bucket, ...figures } = toWireRow(row)
      return { bucket, model: row.model, ...figures }
    }),
    totals: { ...toWireFigures(totals), ...toWireCosts(costs) },
  }
}

/** Usage by source and key as it goes out (§4.2). */
export function toSourcesReply({ buckets, totals, isTruncated }: LabelledSources): UsageSourcesReply {
  return {
    buckets: buckets.map(toWireRow),
    totals: {
      by_source: toWireSources(totals.bySource),
      by_key: totals.byKey.map((key) => ({
        api_key_id: key.apiKeyId,
        api_key_name: key.apiKeyName,
        user_id: key.userId,
        user_name: key.userName,
        ...toWireTotal(key),
        last_used: new Date(key.lastUsedAt).toISOString(),
      })),
      ...(totals.byUserSource === undefined ? {} : { by_user_source: totals.byUserSource.map(toWireUser) }),
      grand_total: toWireTotal(totals.grandTotal),
    },
    truncated: isTruncated,
  }
}

type Totals = SourcesReport['totals']

function toWireTotal({ tokens, requests, costs }: Totals['grandTotal']) {
  return { tokens, requests, ...(costs === undefined ? {} : toWireCosts(costs)) }
}

const SOURCES = ['apikey', 'web', 'legacy'] as const

function toWireSources(totals: Totals['bySource']): UsageSourcesReply['totals']['by_source'] {
  const entries = SOURCES.flatMap((source) => {
    const total = totals[source]
    return total === undefined ? [] : [[source, toWireTotal(total)] as const]
  })
  return Object.fromEntries(entries)
}

type UserTotal = NonNullable<Totals['byUserSource']>[number]

function toWireUser({ source, userId, userName, ...total }: UserTotal) {
  return { source, user_id: userId, user_name: userName, ...toWireTotal(total) }
}
