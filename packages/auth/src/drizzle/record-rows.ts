import { type SQL, sql } from 'drizzle-orm'
import type { UsageRecord } from '../ports/usage.ts'
import type { Dialect } from './tables.ts'

/** Columns of the table of records, in its order, with their types on PostgreSQL. */
const COLUMNS = [
  ['id', 'text'],
  ['user_id', 'text'],
  ['user_name', 'text'],
  ['source', 'text'],
  ['api_key_id', 'text'],
  ['api_key_name', 'text'],
  ['model', 'text'],
  ['endpoint', 'text'],
  ['prompt_tokens', 'bigint'],
  ['completion_tokens', 'bigint'],
  ['total_tokens', 'bigint'],
  ['duration_ms', 'bigint'],
  ['created_at', 'bigint'],
  ['cached_tokens', 'bigint'],
  ['reasoning_tokens', 'bigint'],
  ['estimated', 'bigint'],
] as const

const fromElements = COLUMNS.map((_, index) => `value ->> ${index}`).join(', ')
const fromArrays = COLUMNS.map(([, type], index) => `(value ->> ${index})::${type}`).join(', ')

function toRow(record: UsageRecord): readonly (string | number)[] {
  const { id, userId, userName, source, apiKeyId = '', apiKeyName = '', model, endpoint } = record
  const { promptTokens, completionTokens, totalTokens, durationMs, createdAt } = record
  const { cachedTokens = 0, reasoningTokens = 0, isEstimated = false } = record
  return [
    ...[id, userId, userName, source, apiKeyId, apiKeyName, model, endpoint],
    ...[promptTokens, completionTokens, totalTokens, durationMs, createdAt],
    ...[cachedTokens, reasoningTokens, isEstimated ? 1 : 0],
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
