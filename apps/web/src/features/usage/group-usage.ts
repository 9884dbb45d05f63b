import type { UsageRow } from './api.ts'
import type { Group, Metric } from './search.ts'

/** The sums of one group, such as a model. */
export interface UsageGroup {
  /** Distinguishes groups; empty for usage outside of all groups, such as usage without a key. */
  readonly id: string
  readonly name: string
  readonly promptTokens: number
  readonly completionTokens: number
  readonly totalTokens: number
  /** Prompt tokens that an upstream took from its cache. */
  readonly cachedTokens: number
  /** Completion tokens that were thoughts. */
  readonly reasoningTokens: number
  /** Tokens of the total whose upstream did not count them. */
  readonly estimatedTokens: number
  /** Length of sound and film. */
  readonly mediaSeconds: number
  readonly spokenCharacters: number
  readonly images: number
  readonly requests: number
  /** Known costs in millionths by currency. */
  readonly costs: ReadonlyMap<string, number>
  /** Requests whose cost is unknown although costs are counted. */
  readonly unpricedRequests: number
  /** 0 to 1, of the metric that is shown. */
  readonly share: number
  /** The metric by bucket. */
  readonly byBucket: ReadonlyMap<string, number>
}

/** Micro-units of a unit of a currency. */
const MICROS = 1_000_000

function readMetric(row: UsageRow, metric: Metric): number {
  if (metric === 'cost') return (row.cost_micros ?? 0) / MICROS
  return metric === 'tokens' ? row.total_tokens : row.request_count
}

/** The currencies in which costs were counted. */
export const listCurrencies = (rows: readonly UsageRow[]): readonly string[] => [
  ...new Set(rows.flatMap(({ currency }) => currency ?? [])),
]

/** The metric to show: costs of several currencies cannot be compared. */
export const chooseMetric = (rows: readonly UsageRow[], metric: Metric): Metric =>
  metric === 'cost' && listCurrencies(rows).length !== 1 ? 'tokens' : metric

function sumCosts(rows: readonly UsageRow[]): ReadonlyMap<string, number> {
  const costs = new Map<string, number>()
  for (const { currency, cost_micros: cost } of rows)
    if (currency !== undefined && cost !== undefined) costs.set(currency, (costs.get(currency) ?? 0) + cost)
  return costs
}

/** Costs of groups together. */
export function addCosts(groups: readonly UsageGroup[]): ReadonlyMap<string, number> {
  const costs = new Map<string, number>()
  for (const group of groups)
    for (const [currency, cost] of group.costs) costs.set(currency, (costs.get(currency) ?? 0) + cost)
  return costs
}

function readGroup(row: UsageRow, group: Group): readonly [id: string, name: string] {
  switch (group) {
    case 'model':
    case 'endUser':
    case 'tag':
      return [row.model, row.model]
    case 'user':
      return [row.user_id, row.user_name || row.user_id]
    case 'source':
      return [row.source, row.source]
    case 'key':
      return [row.api_key_id ?? '', row.api_key_name || (row.api_key_id ?? '')]
  }
}

/** Sums rows by group, the largest first. */
export function groupUsage(
  rows: readonly UsageRow[],
  { group, metric }: { readonly group: Group; readonly metric: Metric },
): UsageGroup[] {
  const parts = new Map<string, { readonly name: string; readonly rows: UsageRow[] }>()
  for (const row of rows) {
    const [id, name] = readGroup(row, group)
    const part = parts.get(id) ?? { name, rows: [] }
    part.rows.push(row)
    parts.set(id, part)
  }
  const all = sum(rows, (row) => readMetric(row, metric))
  return [...parts]
    .map(([id, part]): UsageGroup => {
      const total = sum(part.rows, (row) => readMetric(row, metric))
      const byBucket = new Map<string, number>()
      for (const row of part.rows) byBucket.set(row.bucket, (byBucket.get(row.bucket) ?? 0) + readMetric(row, metric))
      return {
        id,
        name: part.name,
        promptTokens: sum(part.rows, (row) => row.prompt_tokens),
        completionTokens: sum(part.rows, (row) => row.completion_tokens),
        totalTokens: sum(part.rows, (row) => row.total_tokens),
        cachedTokens: sum(part.rows, (row) => row.cached_tokens ?? 0),
        reasoningTokens: sum(part.rows, (row) => row.reasoning_tokens ?? 0),
        estimatedTokens: sum(part.rows, (row) => row.estimated_tokens ?? 0),
        // adding fractions leaves a rest
        mediaSeconds: Number(sum(part.rows, (row) => row.media_seconds ?? 0).toFixed(3)),
        spokenCharacters: sum(part.rows, (row) => row.spoken_characters ?? 0),
        images: sum(part.rows, (row) => row.images ?? 0),
        requests: sum(part.rows, (row) => row.request_count),
        costs: sumCosts(part.rows),
        unpricedRequests: sum(part.rows, (row) => row.unpriced_request_count ?? 0),
        share: all === 0 ? 0 : total / all,
        byBucket,
      }
    })
    .sort(
      (left, right) =>
        right.share - left.share || right.requests - left.requests || left.name.localeCompare(right.name),
    )
}

const sum = (rows: readonly UsageRow[], read: (row: UsageRow) => number): number =>
  rows.reduce((total, row) => total + read(row), 0)

const MEDIA = ['mediaSeconds', 'spokenCharacters', 'images'] as const

/** A figure of media. */
export type MediaFigure = (typeof MEDIA)[number]

/** The figures of media that any group has; the others are not shown. */
export const listMedia = (groups: readonly UsageGroup[]): readonly MediaFigure[] =>
  MEDIA.filter((name) => groups.some((one) => one[name] > 0))

/** Groups that have a colour of their own; the rest is drawn as one. */
export const DRAWN_GROUPS = 5

/** The rows of the account and key that the reader chose. */
export function filterUsage(
  rows: readonly UsageRow[],
  { user, key }: { readonly user?: string | undefined; readonly key?: string | undefined },
): readonly UsageRow[] {
  return rows.filter(
    (row) => (user === undefined || row.user_id === user) && (key === undefined || row.api_key_id === key),
  )
}

/** Accounts or keys of rows by id, for a choice. */
export function listChoices(
  rows: readonly UsageRow[],
  read: (row: UsageRow) => readonly [id: string | undefined, name: string | undefined],
): (readonly [id: string, name: string])[] {
  const choices = new Map<string, string>()
  for (const row of rows) {
    const [id, name] = read(row)
    if (id !== undefined && id !== '') choices.set(id, name || id)
  }
  return [...choices].sort(([, left], [, right]) => left.localeCompare(right))
}
