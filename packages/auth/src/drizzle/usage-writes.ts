import { and, asc, eq, inArray, lt, lte, type SQL, sql } from 'drizzle-orm'
import type { UsageRecord, UsageSource, UsageStore } from '../ports/usage.ts'
import { LEGACY_PRINCIPAL } from '../principal.ts'
import { type LabelSum, sumLabels } from '../usage/labels.ts'
import { sumRecords, USAGE_SPANS, type UsageSpan, type UsageSum } from '../usage/sums.ts'
import { inBatches } from './batches.ts'
import { liftFact } from './facts.ts'
import type { DrizzleQueries, Queries } from './queries.ts'
import type { AuthTables, Dialect } from './tables.ts'
import { createKeepValues, removeOldLabels } from './usage-labels.ts'

/** Rows of one statement. */
const WRITE_BATCH = 200

/** Types on PostgreSQL of the values of {@link toRow}. */
const TYPES = [
  ...Array.from({ length: 8 }, () => 'text'),
  ...Array.from({ length: 8 }, () => 'bigint'),
  ...['double precision', 'bigint', 'bigint'],
  ...['bigint', 'bigint', 'text'],
  ...['text', 'text'],
]

const fromElements = TYPES.map((_, index) => `value ->> ${index}`).join(', ')
const fromArrays = TYPES.map((type, index) => `(value ->> ${index})::${type}`).join(', ')

/** The columns of the table of records, in its order. */
function toRow(record: UsageRecord): readonly (string | number | null)[] {
  const { id, userId, userName, source, apiKeyId = '', apiKeyName = '', model, endpoint } = record
  const { promptTokens, completionTokens, totalTokens, durationMs, createdAt } = record
  const { cachedTokens = 0, reasoningTokens = 0, isEstimated = false } = record
  const { seconds = 0, characters = 0, images = 0 } = record
  const { cacheWriteTokens = 0, costMicros = null, currency = '', endUser = '', tags } = record
  return [
    ...[id, userId, userName, source, apiKeyId, apiKeyName, model, endpoint],
    ...[promptTokens, completionTokens, totalTokens, durationMs, createdAt],
    ...[cachedTokens, reasoningTokens, isEstimated ? 1 : 0],
    ...[seconds, characters, images],
    ...[cacheWriteTokens, costMicros, currency],
    ...[endUser, tags === undefined ? '' : JSON.stringify(tags)],
  ]
}

/**
 * The rows of records as a query with one parameter, a JSON text. A statement with a parameter for each column of each
 * row costs several times as much to build.
 */
function selectRecords(dialect: Dialect, records: readonly UsageRecord[]): SQL {
  const json = JSON.stringify(records.map(toRow))
  if (dialect === 'postgres')
    return sql`select ${sql.raw(fromArrays)} from jsonb_array_elements(${json}::text::jsonb) as rows(value)`
  // without a condition, "on conflict" would be read as a part of a join
  return sql`select ${sql.raw(fromElements)} from json_each(${json}) where true`
}

type SumColumns = AuthTables['usageSums']

/** Adds sums to those in a table. @param labelColumns further columns of its key */
async function addToSums(
  queries: Queries,
  usageSums: SumColumns,
  sums: readonly (UsageSum | LabelSum)[],
  labelColumns: readonly SumColumns['model'][] = [],
): Promise<void> {
  const { promptTokens, completionTokens, totalTokens, requests, lastUsedAt } = usageSums
  const { cachedTokens, reasoningTokens, estimatedTokens, estimatedRequests } = usageSums
  const { seconds, characters, images, cacheWriteTokens, costMicros, unpricedRequests } = usageSums
  const { span, start, userId, userName, source, apiKeyId, apiKeyName, model, currency } = usageSums
  for (const batch of inBatches(sums, WRITE_BATCH)) {
    await queries.change((db) =>
      db
        .insert(usageSums)
        .values([...batch])
        .onConflictDoUpdate({
          target: [span, start, userId, userName, source, apiKeyId, apiKeyName, model, currency, ...labelColumns],
          set: {
            promptTokens: sql`${promptTokens} + excluded.prompt_tokens`,
            completionTokens: sql`${completionTokens} + excluded.completion_tokens`,
            totalTokens: sql`${totalTokens} + excluded.total_tokens`,
            requests: sql`${requests} + excluded.requests`,
            cachedTokens: sql`${cachedTokens} + excluded.cached_tokens`,
            reasoningTokens: sql`${reasoningTokens} + excluded.reasoning_tokens`,
            estimatedTokens: sql`${estimatedTokens} + excluded.estimated_tokens`,
            estimatedRequests: sql`${estimatedRequests} + excluded.estimated_requests`,
            seconds: sql`${seconds} + excluded.seconds`,
            characters: sql`${characters} + excluded.characters`,
            images: sql`${images} + excluded.images`,
            cacheWriteTokens: sql`${cacheWriteTokens} + excluded.cache_write_tokens`,
            costMicros: sql`${costMicros} + excluded.cost_micros`,
            unpricedRequests: sql`${unpricedRequests} + excluded.unpriced_requests`,
            lastUsedAt: sql`CASE WHEN excluded.last_used_at > ${lastUsedAt} THEN excluded.last_used_at ELSE ${lastUsedAt} END`,
          },
        }),
    )
  }
}

/** Stores the records that are not known yet, and adds them to their sums. */
export async function appendRecords(
  queries: Queries,
  {
    tables,
    dialect,
    maxValues,
  }: { readonly tables: AuthTables; readonly dialect: Dialect; readonly maxValues: number | undefined },
  records: readonly UsageRecord[],
): Promise<void> {
  const { usageRecords, usageSums, usageLabelSums } = tables
  const given = new Map(records.map((record) => [record.id, record]))
  const ordered = [...given.values()].sort((left, right) => (left.id < right.id ? -1 : 1))
  const inserted = await queries.rows((db) =>
    db
      .insert(usageRecords)
      .select(selectRecords(dialect, ordered))
      .onConflictDoNothing()
      .returning({ id: usageRecords.id }),
  )
  const fresh = inserted.flatMap(({ id }) => given.get(id) ?? [])
  // new values are kept before any sum is locked
  const labelled = await sumLabels(fresh, { maxValues, keep: createKeepValues(queries, tables) })
  await addToSums(queries, usageSums, sumRecords(fresh))
  // its columns are those of the other sums, and two more
  const labelTable = usageLabelSums as unknown as SumColumns & Record<'label' | 'value', SumColumns['model']>
  await addToSums(queries, labelTable, labelled, [labelTable.label, labelTable.value])
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

/** Removes old sums, one start after the other. */
async function removeSums(
  queries: Queries,
  usageSums: SumColumns,
  { span, before, limit }: { readonly span: UsageSpan; readonly before: number; readonly limit: number },
): Promise<number> {
  let removed = 0
  while (removed < limit) {
    const [oldest] = await queries.rows((db) =>
      db
        .select({ start: usageSums.start })
        .from(usageSums)
        .where(and(eq(usageSums.span, span), lt(usageSums.start, before)))
        .orderBy(asc(usageSums.start))
        .limit(1),
    )
    if (oldest === undefined) break
    removed += await queries.change((db) =>
      db.delete(usageSums).where(and(eq(usageSums.span, span), eq(usageSums.start, oldest.start))),
    )
  }
  return removed
}

/** Removes a batch of records up to a time, and batches of sums that are too old. */
export async function pruneUsage(
  queries: DrizzleQueries,
  tables: AuthTables,
  limits: Pick<Parameters<UsageStore['prune']>[0], 'hoursBefore' | 'daysBefore' | 'limit'> & { readonly until: number },
): Promise<number> {
  const { until, hoursBefore, daysBefore, limit } = limits
  const records = await queries.transaction((transaction) => removeOldest(transaction, tables, { until, limit }))
  let removed = records + (await removeOldLabels(queries, tables, hoursBefore))
  for (const table of [tables.usageSums, tables.usageLabelSums as unknown as SumColumns]) {
    removed += await removeSums(queries, table, { span: 'hour', before: hoursBefore, limit })
    removed += await removeSums(queries, table, { span: 'day', before: daysBefore, limit })
  }
  return removed
}

type SumRow = AuthTables['usageSums']['$inferSelect']

const toSpan = (text: string): UsageSpan => USAGE_SPANS.find((span) => span === text) ?? 'month'

/** Takes some sums without a source away. */
async function takeNameless(queries: Queries, { usageSums }: AuthTables): Promise<readonly SumRow[]> {
  const { span, start, userId, userName, source, apiKeyId, apiKeyName, model, currency } = usageSums
  const rows = await queries.rows((db) => db.select().from(usageSums).where(eq(source, '')).limit(WRITE_BATCH))
  for (const row of rows) {
    await queries.change((db) =>
      db
        .delete(usageSums)
        .where(
          and(
            ...[eq(span, row.span), eq(start, row.start), eq(source, ''), eq(userId, row.userId)],
            ...[eq(userName, row.userName), eq(apiKeyId, row.apiKeyId), eq(apiKeyName, row.apiKeyName)],
            ...[eq(model, row.model), eq(currency, row.currency)],
          ),
        ),
    )
  }
  return rows
}

/** Names the source of records and sums that have none. @returns how many records there were */
export async function backfillSources(queries: Queries, tables: AuthTables): Promise<number> {
  const { usageRecords } = tables
  const nameSource = (userId: string): UsageSource => (userId === LEGACY_PRINCIPAL.id ? 'legacy' : 'web')
  const legacy = await queries.change((db) =>
    db
      .update(usageRecords)
      .set({ source: 'legacy' })
      .where(and(eq(usageRecords.source, ''), eq(usageRecords.userId, LEGACY_PRINCIPAL.id))),
  )
  const web = await queries.change((db) =>
    db.update(usageRecords).set({ source: 'web' }).where(eq(usageRecords.source, '')),
  )
  for (let rows = await takeNameless(queries, tables); rows.length > 0; rows = await takeNameless(queries, tables)) {
    // a sum of the same account may be there already under its source
    await addToSums(
      queries,
      tables.usageSums,
      rows.map((row) => ({ ...row, span: toSpan(row.span), source: nameSource(row.userId) })),
    )
  }
  return legacy + web
}
