import { type SQL, sql } from 'drizzle-orm'
import type { UsageRecord } from '../ports/usage.ts'
import type { Dialect } from './tables.ts'

/** Types on PostgreSQL of the values of {@link toRow}. */
const TYPES = [
  ...Array.from({ length: 8 }, () => 'text'),
  ...Array.from({ length: 8 }, () => 'bigint'),
  ...['double precision', 'bigint', 'bigint'],
]

const fromElements = TYPES.map((_, index) => `value ->> ${index}`).join(', ')
const fromArrays = TYPES.map((type, index) => `(value ->> ${index})::${type}`).join(', ')

/** The columns of the table of records, in its order. */
function toRow(record: UsageRecord): readonly (string | number)[] {
  const { id, userId, userName, source, apiKeyId = '', apiKeyName = '', model, endpoint } = record
  const { promptTokens, completionTokens, totalTokens, durationMs, createdAt } = record
  const { cachedTokens = 0, reasoningTokens = 0, isEstimated = false } = record
  const { seconds = 0, characters = 0, images = 0 } = record
  return [
    ...[id, userId, userName, source, apiKeyId, apiKeyName, model, endpoint],
    ...[promptTokens, completionTokens, totalTokens, durationMs, createdAt],
    ...[cachedTokens, reasoningTokens, isEstimated ? 1 : 0],
    ...[seconds, characters, images],
  ]
}

/**
 * The rows of records as a query with one parameter, a JSON text. A statement with a parameter for each column of each
 * row costs several times as much to build.
 */
export function selectRecords(dialect: Dialect, records: readonly UsageRecord[]): SQL {
  const json = JSON.stringify(records.map(toRow))
  if (dialect === 'postgres')
    return sql`select ${sql.raw(fromArrays)} from jsonb_array_elements(${json}::text::jsonb) as rows(value)`
  // without a condition, "on conflict" would be read as a part of a join
  return sql`select ${sql.raw(fromElements)} from json_each(${json}) where true`
}
