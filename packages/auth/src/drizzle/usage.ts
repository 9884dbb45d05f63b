import { and, desc, eq, gte, lt, ne, type SQL, sql } from 'drizzle-orm'
import { AuthError } from '../errors.ts'
import type { CallOptions } from '../ports/clock.ts'
import type { UsageGroup, UsageQuery, UsageSource, UsageStore } from '../ports/usage.ts'
import { planReads, type UsageRead } from '../usage/plan-reads.ts'
import { mergeGroups } from '../usage/sums.ts'
import { readFact } from './facts.ts'
import { createHeavyRows, type HeavyQuery, type ReadHeavily } from './heavy-reads.ts'
import type { DrizzleQueries, QueryBuilder } from './queries.ts'
import type { AuthTables, Dialect } from './tables.ts'
import { appendRecords, backfillSources, pruneUsage } from './usage-writes.ts'

/** A part of a report. */
interface Part {
  readonly query: UsageQuery
  readonly part: UsageRead
}

/** The sums of a table, under names that both ways of reading have. */
function selectSums(
  columns: AuthTables['usageSums'] | AuthTables['usageRecords'],
  query: UsageQuery,
  parts: {
    /** @default none */
    readonly labelValue?: SQL | undefined
    readonly bucket: SQL
    readonly requests: SQL
    readonly estimatedTokens: SQL
    readonly estimatedRequests: SQL
    readonly unpricedRequests: SQL
    readonly lastUsedAt: SQL
  },
) {
  const named = (expression: SQL, name: string): SQL.Aliased<unknown> => expression.as(name)
  const isByLabel = query.label?.isGroup === true
  const [byKey, byModel] = [query.byKey !== false && !isByLabel, query.byModel && !isByLabel]
  const unless = (isLeftOut: boolean, expression: SQL): SQL => (isLeftOut ? sql`''` : expression)
  return {
    label_value: named(parts.labelValue ?? sql`''`, 'label_text'),
    bucket_start: named(parts.bucket, 'bucket_start'),
    model: named(byModel ? sql`${columns.model}` : sql`''`, 'model_name'),
    user_id: named(unless(isByLabel, sql`${columns.userId}`), 'account_id'),
    user_name: named(
      unless(isByLabel, byKey ? sql`${columns.userName}` : sql`max(${columns.userName})`),
      'account_name',
    ),
    source: named(unless(isByLabel, sql`${columns.source}`), 'source_name'),
    api_key_id: named(byKey ? sql`${columns.apiKeyId}` : sql`''`, 'key_id'),
    api_key_name: named(byKey ? sql`${columns.apiKeyName}` : sql`''`, 'key_name'),
    prompt_tokens: named(sql`sum(${columns.promptTokens})`, 'prompt_sum'),
    completion_tokens: named(sql`sum(${columns.completionTokens})`, 'completion_sum'),
    total_tokens: named(sql`sum(${columns.totalTokens})`, 'total_sum'),
    requests: named(parts.requests, 'request_count'),
    cached_tokens: named(sql`sum(${columns.cachedTokens})`, 'cached_sum'),
    reasoning_tokens: named(sql`sum(${columns.reasoningTokens})`, 'reasoning_sum'),
    estimated_tokens: named(parts.estimatedTokens, 'estimated_sum'),
    estimated_requests: named(parts.estimatedRequests, 'estimated_count'),
    seconds: named(sql`sum(${columns.seconds})`, 'seconds_sum'),
    characters: named(sql`sum(${columns.characters})`, 'characters_sum'),
    images: named(sql`sum(${columns.images})`, 'images_sum'),
    cache_write_tokens: named(sql`sum(${columns.cacheWriteTokens})`, 'cache_write_sum'),
    currency: columns.currency,
    cost_micros: named(sql`coalesce(sum(${columns.costMicros}), 0)`, 'cost_sum'),
    unpriced_requests: named(parts.unpricedRequests, 'unpriced_count'),
    last_used_at: named(parts.lastUsedAt, 'last_used'),
  }
}

/** The columns whose values a group has in common, beside the bucket. */
function listGroupColumns(
  columns: AuthTables['usageSums'] | AuthTables['usageRecords'],
  { byKey = true, byModel, label }: UsageQuery,
) {
  if (label?.isGroup === true) return [columns.currency]
  const { userId, userName, source, apiKeyId, apiKeyName, model, currency } = columns
  return [userId, source, currency, ...(byKey ? [userName, apiKeyId, apiKeyName] : []), ...(byModel ? [model] : [])]
}

/** The names of {@link selectSums} as a row has them that was read by column names. */
const ALIASES = {
  label_value: 'label_text',
  bucket_start: 'bucket_start',
  model: 'model_name',
  user_id: 'account_id',
  user_name: 'account_name',
  source: 'source_name',
  api_key_id: 'key_id',
  api_key_name: 'key_name',
  prompt_tokens: 'prompt_sum',
  completion_tokens: 'completion_sum',
  total_tokens: 'total_sum',
  requests: 'request_count',
  cached_tokens: 'cached_sum',
  reasoning_tokens: 'reasoning_sum',
  estimated_tokens: 'estimated_sum',
  estimated_requests: 'estimated_count',
  seconds: 'seconds_sum',
  characters: 'characters_sum',
  images: 'images_sum',
  cache_write_tokens: 'cache_write_sum',
  currency: 'currency',
  cost_micros: 'cost_sum',
  unpriced_requests: 'unpriced_count',
  last_used_at: 'last_used',
} as const

function toSource(value: unknown): UsageSource {
  return value === 'apikey' || value === 'legacy' ? value : 'web'
}

function toGroup(row: Readonly<Record<string, unknown>>, isByLabel: boolean): UsageGroup {
  const text = (name: string): string => String(row[name] ?? '')
  return {
    bucketStart: Number(row.bucket_start),
    model: text('model'),
    userId: text('user_id'),
    userName: text('user_name'),
    source: toSource(row.source),
    apiKeyId: text('api_key_id'),
    apiKeyName: text('api_key_name'),
    promptTokens: Number(row.prompt_tokens),
    completionTokens: Number(row.completion_tokens),
    totalTokens: Number(row.total_tokens),
    requests: Number(row.requests),
    cachedTokens: Number(row.cached_tokens),
    reasoningTokens: Number(row.reasoning_tokens),
    estimatedTokens: Number(row.estimated_tokens),
    estimatedRequests: Number(row.estimated_requests),
    seconds: Number(row.seconds),
    characters: Number(row.characters),
    images: Number(row.images),
    cacheWriteTokens: Number(row.cache_write_tokens),
    currency: text('currency'),
    costMicros: Number(row.cost_micros),
    unpricedRequests: Number(row.unpriced_requests),
    lastUsedAt: Number(row.last_used_at),
    ...(isByLabel ? { labelValue: text('label_value') } : {}),
  }
}

function selectFilters(columns: AuthTables['usageSums'] | AuthTables['usageRecords'], query: UsageQuery) {
  return [
    query.userId === undefined ? undefined : eq(columns.userId, query.userId),
    query.apiKeyId === undefined ? undefined : eq(columns.apiKeyId, query.apiKeyId),
    query.withoutLegacy === true ? ne(columns.source, 'legacy') : undefined,
  ]
}

/** Conditions for the bounds of a part, which may have no end. */
function within(column: AuthTables['usageSums']['start'] | AuthTables['usageRecords']['createdAt'], part: UsageRead) {
  return [gte(column, part.from), part.to === undefined ? undefined : lt(column, part.to)]
}

/** The sums that a query reads, with the conditions of its label. */
function pickSums({ usageSums, usageLabelSums }: AuthTables, { label }: UsageQuery) {
  if (label === undefined) return { usageSums, labelled: [], grouped: undefined }
  const { label: name, value } = usageLabelSums
  return {
    // its columns are those of the other sums, and two more
    usageSums: usageLabelSums as unknown as AuthTables['usageSums'],
    labelled: [eq(name, label.name), label.value === undefined ? undefined : eq(value, label.value)],
    grouped: label.isGroup === true ? value : undefined,
  }
}

function buildSums(db: QueryBuilder, tables: AuthTables, { query, part }: Part) {
  const { usageSums, labelled, grouped } = pickSums(tables, query)
  const { span, start } = usageSums
  const { bucketStart } = part
  return db
    .select(
      selectSums(usageSums, query, {
        labelValue: grouped === undefined ? undefined : sql`${grouped}`,
        bucket: bucketStart === undefined ? sql`${start}` : sql.raw(String(bucketStart)),
        requests: sql`sum(${usageSums.requests})`,
        estimatedTokens: sql`sum(${usageSums.estimatedTokens})`,
        estimatedRequests: sql`sum(${usageSums.estimatedRequests})`,
        unpricedRequests: sql`sum(${usageSums.unpricedRequests})`,
        lastUsedAt: sql`max(${usageSums.lastUsedAt})`,
      }),
    )
    .from(usageSums)
    .where(and(eq(span, part.span), ...within(start, part), ...labelled, ...selectFilters(usageSums, query)))
    .groupBy(
      ...(bucketStart === undefined ? [start] : []),
      ...(grouped === undefined ? [] : [grouped]),
      ...listGroupColumns(usageSums, query),
    )
}

function buildRecords(db: QueryBuilder, { usageRecords }: AuthTables, { query, part }: Part) {
  const { createdAt, estimated, totalTokens, costMicros, currency } = usageRecords
  return db
    .select(
      selectSums(usageRecords, query, {
        bucket: sql.raw(String(part.bucketStart ?? part.from)),
        requests: sql`count(*)`,
        estimatedTokens: sql`sum(${estimated} * ${totalTokens})`,
        estimatedRequests: sql`sum(${estimated})`,
        unpricedRequests: sql`sum(case when ${costMicros} is null and ${currency} <> '' then 1 else 0 end)`,
        lastUsedAt: sql`max(${createdAt})`,
      }),
    )
    .from(usageRecords)
    .where(and(...within(createdAt, part), ...selectFilters(usageRecords, query)))
    .groupBy(...listGroupColumns(usageRecords, query))
}

/**
 * Usage in a database.
 *
 * @param readHeavily where queries over many rows run @default with the other queries
 */
export function createDrizzleUsage(
  queries: DrizzleQueries,
  { tables, dialect }: { readonly tables: AuthTables; readonly dialect: Dialect },
  readHeavily: ReadHeavily | undefined,
): UsageStore {
  const heavyRows = createHeavyRows(queries, tables, readHeavily)
  async function read(
    build: (db: QueryBuilder) => HeavyQuery,
    options: CallOptions & { readonly limit: number; readonly isByLabel: boolean },
  ): Promise<readonly UsageGroup[]> {
    const { signal, limit: maxRows, isByLabel } = options
    const rows = await heavyRows({ build, aliases: ALIASES }, { signal, maxRows })
    return rows.map((row) => toGroup(row, isByLabel))
  }
  return {
    append: (records, { maxLabelValues: maxValues }) =>
      queries.transaction((transaction) => appendRecords(transaction, { tables, dialect, maxValues }, records)),
    async group(query, options) {
      const prunedBefore = query.since === undefined ? 0 : await readFact(queries, tables, 'usage_pruned_before')
      const isByLabel = query.label?.isGroup === true
      const whole: UsageGroup[] = []
      const edge: UsageGroup[] = []
      for (const part of planReads(query, prunedBefore)) {
        const build = part.span === 'record' ? buildRecords : buildSums
        const found = await read((db) => build(db, tables, { query, part }), { ...options, isByLabel })
        for (const one of found) (part.bucketStart === undefined ? whole : edge).push(one)
      }
      // the first bucket comes in parts; the others are groups already
      const groups = [...mergeGroups(edge), ...whole]
      if (groups.length > options.limit)
        throw new AuthError('unprocessable', `more than ${options.limit} rows`, { code: 'too_many_rows' })
      return groups
    },
    backfillSources: () => queries.transaction((transaction) => backfillSources(transaction, tables)),
    async prune(limits, { signal }) {
      const { usageRecords } = tables
      const { createdAt, id } = usageRecords
      signal.throwIfAborted()
      // a heavy read of an empty table would start a thread
      const any = await queries.rows((db) => db.select({ id }).from(usageRecords).limit(1))
      const [surplus] =
        any.length === 0
          ? []
          : await heavyRows(
              {
                aliases: { created_at: 'created_at' },
                build: (db) =>
                  db
                    .select({ created_at: createdAt })
                    .from(usageRecords)
                    .orderBy(desc(createdAt), desc(id))
                    .limit(1)
                    .offset(limits.maxRecords),
              },
              { signal },
            )
      const until = Math.max(Number(surplus?.created_at ?? 0), limits.before - 1)
      return pruneUsage(queries, tables, { ...limits, until })
    },
  }
}
