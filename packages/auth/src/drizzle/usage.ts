import { and, asc, desc, eq, gte, inArray, lt, lte, ne, type SQL, sql } from 'drizzle-orm'
import { AuthError } from '../errors.ts'
import type { CallOptions } from '../ports/clock.ts'
import type { UsageGroup, UsageQuery, UsageRecord, UsageSource, UsageStore } from '../ports/usage.ts'
import { LEGACY_PRINCIPAL } from '../principal.ts'
import { DAY_MS, HOUR_MS, startOfBucket, startOfHour } from '../usage/buckets.ts'
import { mergeGroups, sumHours } from '../usage/merge-groups.ts'
import { liftFact, readFact } from './facts.ts'
import type { DrizzleQueries, Queries, QueryBuilder } from './queries.ts'
import type { AuthTables } from './tables.ts'

/** A statement with its parameters bound, as drizzle's `toSQL()` gives it. */
export interface HeavyRead {
  readonly sql: string
  readonly params?: readonly unknown[] | undefined
}

/** Runs a heavy read where it holds up nobody. Rows come by their column names. */
export type ReadHeavily = (
  query: HeavyRead,
  options: CallOptions & { readonly maxRows?: number | undefined },
) => Promise<readonly Readonly<Record<string, unknown>>[]>

/** Rows of one statement that writes. */
const WRITE_BATCH = 200

function inBatches<T>(entries: readonly T[]): readonly (readonly T[])[] {
  const count = Math.ceil(entries.length / WRITE_BATCH)
  return Array.from({ length: count }, (_, index) => entries.slice(index * WRITE_BATCH, (index + 1) * WRITE_BATCH))
}

async function append(queries: Queries, tables: AuthTables, records: readonly UsageRecord[]): Promise<void> {
  const { usageRecords, usageHours } = tables
  const known = new Map(records.map((record) => [record.id, record]))
  const ordered = [...known.values()].sort((left, right) => (left.id < right.id ? -1 : 1))
  const fresh: UsageRecord[] = []
  for (const batch of inBatches(ordered)) {
    const rows = batch.map((record) => ({
      ...record,
      apiKeyId: record.apiKeyId ?? '',
      apiKeyName: record.apiKeyName ?? '',
    }))
    const inserted = await queries.rows((db) =>
      db.insert(usageRecords).values(rows).onConflictDoNothing().returning({ id: usageRecords.id }),
    )
    fresh.push(...inserted.flatMap(({ id }) => known.get(id) ?? []))
  }
  const later = sql`CASE WHEN excluded.last_used_at > ${usageHours.lastUsedAt} THEN excluded.last_used_at ELSE ${usageHours.lastUsedAt} END`
  for (const batch of inBatches(sumHours(fresh))) {
    await queries.change((db) =>
      db
        .insert(usageHours)
        .values([...batch])
        .onConflictDoUpdate({
          target: [
            usageHours.hour,
            usageHours.userId,
            usageHours.userName,
            usageHours.source,
            usageHours.apiKeyId,
            usageHours.apiKeyName,
            usageHours.model,
          ],
          set: {
            promptTokens: sql`${usageHours.promptTokens} + excluded.prompt_tokens`,
            completionTokens: sql`${usageHours.completionTokens} + excluded.completion_tokens`,
            totalTokens: sql`${usageHours.totalTokens} + excluded.total_tokens`,
            requests: sql`${usageHours.requests} + excluded.requests`,
            lastUsedAt: later,
          },
        }),
    )
  }
}

/** The sums of a table, under names that both ways of reading have. */
function selectSums(
  columns: AuthTables['usageHours'] | AuthTables['usageRecords'],
  parts: { readonly bucket: SQL; readonly requests: SQL; readonly lastUsedAt: SQL; readonly model: SQL },
) {
  const named = (expression: SQL, name: string): SQL.Aliased<unknown> => expression.as(name)
  return {
    bucket_start: named(parts.bucket, 'bucket_start'),
    model: named(parts.model, 'model_name'),
    user_id: columns.userId,
    user_name: columns.userName,
    source: columns.source,
    api_key_id: columns.apiKeyId,
    api_key_name: columns.apiKeyName,
    prompt_tokens: named(sql`sum(${columns.promptTokens})`, 'prompt_sum'),
    completion_tokens: named(sql`sum(${columns.completionTokens})`, 'completion_sum'),
    total_tokens: named(sql`sum(${columns.totalTokens})`, 'total_sum'),
    requests: named(parts.requests, 'request_count'),
    last_used_at: named(parts.lastUsedAt, 'last_used'),
  }
}

/** The names of {@link selectSums} as a row has them that was read by column names. */
const ALIASES = {
  bucket_start: 'bucket_start',
  model: 'model_name',
  user_id: 'user_id',
  user_name: 'user_name',
  source: 'source',
  api_key_id: 'api_key_id',
  api_key_name: 'api_key_name',
  prompt_tokens: 'prompt_sum',
  completion_tokens: 'completion_sum',
  total_tokens: 'total_sum',
  requests: 'request_count',
  last_used_at: 'last_used',
} as const

function toSource(value: unknown): UsageSource {
  return value === 'apikey' || value === 'legacy' ? value : 'web'
}

function toGroup(row: Readonly<Record<string, unknown>>): UsageGroup {
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
    lastUsedAt: Number(row.last_used_at),
  }
}

function selectFilters(columns: AuthTables['usageHours'] | AuthTables['usageRecords'], query: UsageQuery) {
  return [
    query.userId === undefined ? undefined : eq(columns.userId, query.userId),
    query.apiKeyId === undefined ? undefined : eq(columns.apiKeyId, query.apiKeyId),
    query.withoutLegacy === true ? ne(columns.source, 'legacy') : undefined,
  ]
}

/** The start of a bucket out of the start of an hour. */
function bucketOfHour({ usageHours }: AuthTables, bucket: UsageQuery['bucket']): SQL {
  if (bucket === 'hour') return sql`${usageHours.hour}`
  if (bucket === 'month') return sql`${usageHours.month}`
  return sql`${usageHours.hour} - ${usageHours.hour} % ${sql.raw(String(DAY_MS))}`
}

function buildHours(db: QueryBuilder, tables: AuthTables, query: UsageQuery & { readonly from: number }) {
  const { usageHours } = tables
  const { userId, userName, source, apiKeyId, apiKeyName, model } = usageHours
  const bucket = bucketOfHour(tables, query.bucket)
  return db
    .select(
      selectSums(usageHours, {
        bucket,
        model: query.byModel ? sql`${model}` : sql`''`,
        requests: sql`sum(${usageHours.requests})`,
        lastUsedAt: sql`max(${usageHours.lastUsedAt})`,
      }),
    )
    .from(usageHours)
    .where(and(gte(usageHours.hour, query.from), ...selectFilters(usageHours, query)))
    .groupBy(bucket, userId, userName, source, apiKeyId, apiKeyName, ...(query.byModel ? [model] : []))
}

/** The records between `since` and the end of its hour. */
function buildEdge(db: QueryBuilder, { usageRecords }: AuthTables, query: UsageQuery & { readonly since: number }) {
  const { userId, userName, source, apiKeyId, apiKeyName, model, createdAt } = usageRecords
  const [start, end] = [startOfBucket(query.since, query.bucket), startOfHour(query.since) + HOUR_MS]
  return db
    .select(
      selectSums(usageRecords, {
        bucket: sql.raw(String(start)),
        model: query.byModel ? sql`${model}` : sql`''`,
        requests: sql`count(*)`,
        lastUsedAt: sql`max(${createdAt})`,
      }),
    )
    .from(usageRecords)
    .where(and(gte(createdAt, query.since), lt(createdAt, end), ...selectFilters(usageRecords, query)))
    .groupBy(userId, userName, source, apiKeyId, apiKeyName, ...(query.byModel ? [model] : []))
}

/** Removes the oldest records up to a time. */
async function removeOldest(
  queries: Queries,
  tables: AuthTables,
  { until, limit }: { readonly until: number; readonly limit: number },
): Promise<number> {
  const { usageRecords } = tables
  const oldest = await queries.rows((db) =>
    db
      .select({ id: usageRecords.id, createdAt: usageRecords.createdAt })
      .from(usageRecords)
      .where(lte(usageRecords.createdAt, until))
      .orderBy(asc(usageRecords.createdAt), asc(usageRecords.id))
      .limit(limit),
  )
  const newest = oldest.at(-1)
  if (newest === undefined) return 0
  const ids = oldest.map(({ id }) => id)
  const removed = await queries.change((db) => db.delete(usageRecords).where(inArray(usageRecords.id, ids)))
  await liftFact(queries, tables, { key: 'usage_pruned_before', value: newest.createdAt + 1 })
  return removed
}

async function backfillTable(
  queries: Queries,
  table: AuthTables['usageHours'] | AuthTables['usageRecords'],
): Promise<number> {
  const legacy = await queries.change((db) =>
    db
      .update(table)
      .set({ source: 'legacy' })
      .where(and(eq(table.source, ''), eq(table.userId, LEGACY_PRINCIPAL.id))),
  )
  const web = await queries.change((db) => db.update(table).set({ source: 'web' }).where(eq(table.source, '')))
  return legacy + web
}

/**
 * Usage in a database.
 *
 * @param readHeavily where queries over many rows run @default with the other queries
 */
export function createDrizzleUsage(
  queries: DrizzleQueries,
  tables: AuthTables,
  readHeavily: ReadHeavily | undefined,
): UsageStore {
  const { usageRecords } = tables
  async function read(
    build: (db: QueryBuilder) => { all(): Readonly<Record<string, unknown>>[]; toSQL(): HeavyRead },
    options: CallOptions & { readonly limit: number },
  ): Promise<readonly UsageGroup[]> {
    options.signal.throwIfAborted()
    if (readHeavily === undefined) return (await queries.rows(build)).map(toGroup)
    let statement: HeavyRead | undefined
    // the builder belongs to the queries: it is asked for the statement and runs nothing that counts
    await queries.rows((db) => {
      statement = build(db).toSQL()
      return db.select({ key: tables.facts.key }).from(tables.facts).limit(1)
    })
    if (statement === undefined) return []
    const rows = await readHeavily(statement, { signal: options.signal, maxRows: options.limit })
    return rows.map((row) =>
      toGroup(Object.fromEntries(Object.entries(ALIASES).map(([name, alias]) => [name, row[alias]]))),
    )
  }
  return {
    append: (records) => queries.transaction((transaction) => append(transaction, tables, records)),
    async group(query, options) {
      const { since = 0 } = query
      const first = startOfHour(since)
      const isCut = since > first && (await readFact(queries, tables, 'usage_pruned_before')) <= since
      const from = isCut ? first + HOUR_MS : first
      const hours = await read((db) => buildHours(db, tables, { ...query, from }), options)
      const edge = isCut ? await read((db) => buildEdge(db, tables, { ...query, since }), options) : []
      const groups = mergeGroups([...edge, ...hours])
      if (groups.length > options.limit)
        throw new AuthError('unprocessable', `more than ${options.limit} rows`, { code: 'too_many_rows' })
      return groups
    },
    backfillSources: () =>
      queries.transaction(async (transaction) => {
        const records = await backfillTable(transaction, tables.usageRecords)
        return records + (await backfillTable(transaction, tables.usageHours))
      }),
    async prune({ maxRecords, before, limit }) {
      const [surplus] = await queries.rows((db) =>
        db
          .select({ createdAt: usageRecords.createdAt })
          .from(usageRecords)
          .orderBy(desc(usageRecords.createdAt), desc(usageRecords.id))
          .limit(1)
          .offset(maxRecords),
      )
      const until = Math.max(surplus?.createdAt ?? 0, before - 1)
      return queries.transaction((transaction) => removeOldest(transaction, tables, { until, limit }))
    },
  }
}
