import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'

/** One row for each tracked request. */
export const usageRecordsOnSqlite = sqlite.sqliteTable(
  'auth_usage_records',
  {
    id: sqlite.text('id').primaryKey(),
    userId: sqlite.text('user_id').notNull(),
    userName: sqlite.text('user_name').notNull(),
    /** Empty in rows of old databases until they are filled at start. */
    source: sqlite.text('source').notNull(),
    /** Empty unless the source is a user key. */
    apiKeyId: sqlite.text('api_key_id').notNull(),
    apiKeyName: sqlite.text('api_key_name').notNull(),
    model: sqlite.text('model').notNull(),
    endpoint: sqlite.text('endpoint').notNull(),
    promptTokens: sqlite.integer('prompt_tokens').notNull(),
    completionTokens: sqlite.integer('completion_tokens').notNull(),
    totalTokens: sqlite.integer('total_tokens').notNull(),
    durationMs: sqlite.integer('duration_ms').notNull(),
    createdAt: sqlite.integer('created_at').notNull(),
    cachedTokens: sqlite.integer('cached_tokens').notNull().default(0),
    reasoningTokens: sqlite.integer('reasoning_tokens').notNull().default(0),
    /** 1 for a request whose tokens are an estimate. */
    estimated: sqlite.integer('estimated').notNull().default(0),
    seconds: sqlite.real('seconds').notNull().default(0),
    characters: sqlite.integer('characters').notNull().default(0),
    images: sqlite.integer('images').notNull().default(0),
    cacheWriteTokens: sqlite.integer('cache_write_tokens').notNull().default(0),
    /** Null for an unknown cost. */
    costMicros: sqlite.integer('cost_micros'),
    /** Empty where no costs were counted. */
    currency: sqlite.text('currency').notNull().default(''),
    /** Empty for requests without one. */
    endUser: sqlite.text('end_user').notNull().default(''),
    /** JSON object, empty without tags. */
    tags: sqlite.text('tags').notNull().default(''),
  },
  (table) => [
    sqlite.index('auth_usage_records_by_age').on(table.createdAt, table.id),
    sqlite.index('auth_usage_records_by_user').on(table.userId, table.createdAt),
  ],
)

export const usageRecordsOnPostgres = pg.pgTable(
  'auth_usage_records',
  {
    id: pg.text('id').primaryKey(),
    userId: pg.text('user_id').notNull(),
    userName: pg.text('user_name').notNull(),
    source: pg.text('source').notNull(),
    apiKeyId: pg.text('api_key_id').notNull(),
    apiKeyName: pg.text('api_key_name').notNull(),
    model: pg.text('model').notNull(),
    endpoint: pg.text('endpoint').notNull(),
    promptTokens: pg.bigint('prompt_tokens', { mode: 'number' }).notNull(),
    completionTokens: pg.bigint('completion_tokens', { mode: 'number' }).notNull(),
    totalTokens: pg.bigint('total_tokens', { mode: 'number' }).notNull(),
    durationMs: pg.bigint('duration_ms', { mode: 'number' }).notNull(),
    createdAt: pg.bigint('created_at', { mode: 'number' }).notNull(),
    cachedTokens: pg.bigint('cached_tokens', { mode: 'number' }).notNull().default(0),
    reasoningTokens: pg.bigint('reasoning_tokens', { mode: 'number' }).notNull().default(0),
    estimated: pg.bigint('estimated', { mode: 'number' }).notNull().default(0),
    seconds: pg.doublePrecision('seconds').notNull().default(0),
    characters: pg.bigint('characters', { mode: 'number' }).notNull().default(0),
    images: pg.bigint('images', { mode: 'number' }).notNull().default(0),
    cacheWriteTokens: pg.bigint('cache_write_tokens', { mode: 'number' }).notNull().default(0),
    costMicros: pg.bigint('cost_micros', { mode: 'number' }),
    currency: pg.text('currency').notNull().default(''),
    endUser: pg.text('end_user').notNull().default(''),
    tags: pg.text('tags').notNull().default(''),
  },
  (table) => [
    pg.index('auth_usage_records_by_age').on(table.createdAt, table.id),
    pg.index('auth_usage_records_by_user').on(table.userId, table.createdAt),
  ],
)

const sumColumnsOnSqlite = () => ({
  /** `hour`, `day` or `month`. */
  span: sqlite.text('span').notNull(),
  start: sqlite.integer('start').notNull(),
  userId: sqlite.text('user_id').notNull(),
  userName: sqlite.text('user_name').notNull(),
  source: sqlite.text('source').notNull(),
  apiKeyId: sqlite.text('api_key_id').notNull(),
  apiKeyName: sqlite.text('api_key_name').notNull(),
  model: sqlite.text('model').notNull(),
  promptTokens: sqlite.integer('prompt_tokens').notNull(),
  completionTokens: sqlite.integer('completion_tokens').notNull(),
  totalTokens: sqlite.integer('total_tokens').notNull(),
  requests: sqlite.integer('requests').notNull(),
  lastUsedAt: sqlite.integer('last_used_at').notNull(),
  cachedTokens: sqlite.integer('cached_tokens').notNull().default(0),
  reasoningTokens: sqlite.integer('reasoning_tokens').notNull().default(0),
  estimatedTokens: sqlite.integer('estimated_tokens').notNull().default(0),
  estimatedRequests: sqlite.integer('estimated_requests').notNull().default(0),
  seconds: sqlite.real('seconds').notNull().default(0),
  characters: sqlite.integer('characters').notNull().default(0),
  images: sqlite.integer('images').notNull().default(0),
  cacheWriteTokens: sqlite.integer('cache_write_tokens').notNull().default(0),
  currency: sqlite.text('currency').notNull().default(''),
  costMicros: sqlite.integer('cost_micros').notNull().default(0),
  unpricedRequests: sqlite.integer('unpriced_requests').notNull().default(0),
})

/** Sums by the hour, day and month. Sums of months stay for ever. */
export const usageSumsOnSqlite = sqlite.sqliteTable('auth_usage_sums', sumColumnsOnSqlite(), (table) => [
  sqlite.primaryKey({
    columns: [
      table.span,
      table.start,
      table.userId,
      table.userName,
      table.source,
      table.apiKeyId,
      table.apiKeyName,
      table.model,
      table.currency,
    ],
  }),
  sqlite.index('auth_usage_sums_by_user').on(table.userId, table.span, table.start),
])

const sumColumnsOnPostgres = () => ({
  span: pg.text('span').notNull(),
  start: pg.bigint('start', { mode: 'number' }).notNull(),
  userId: pg.text('user_id').notNull(),
  userName: pg.text('user_name').notNull(),
  source: pg.text('source').notNull(),
  apiKeyId: pg.text('api_key_id').notNull(),
  apiKeyName: pg.text('api_key_name').notNull(),
  model: pg.text('model').notNull(),
  promptTokens: pg.bigint('prompt_tokens', { mode: 'number' }).notNull(),
  completionTokens: pg.bigint('completion_tokens', { mode: 'number' }).notNull(),
  totalTokens: pg.bigint('total_tokens', { mode: 'number' }).notNull(),
  requests: pg.bigint('requests', { mode: 'number' }).notNull(),
  lastUsedAt: pg.bigint('last_used_at', { mode: 'number' }).notNull(),
  cachedTokens: pg.bigint('cached_tokens', { mode: 'number' }).notNull().default(0),
  reasoningTokens: pg.bigint('reasoning_tokens', { mode: 'number' }).notNull().default(0),
  estimatedTokens: pg.bigint('estimated_tokens', { mode: 'number' }).notNull().default(0),
  estimatedRequests: pg.bigint('estimated_requests', { mode: 'number' }).notNull().default(0),
  seconds: pg.doublePrecision('seconds').notNull().default(0),
  characters: pg.bigint('characters', { mode: 'number' }).notNull().default(0),
  images: pg.bigint('images', { mode: 'number' }).notNull().default(0),
  cacheWriteTokens: pg.bigint('cache_write_tokens', { mode: 'number' }).notNull().default(0),
  currency: pg.text('currency').notNull().default(''),
  costMicros: pg.bigint('cost_micros', { mode: 'number' }).notNull().default(0),
  unpricedRequests: pg.bigint('unpriced_requests', { mode: 'number' }).notNull().default(0),
})

export const usageSumsOnPostgres = pg.pgTable('auth_usage_sums', sumColumnsOnPostgres(), (table) => [
  pg.primaryKey({
    columns: [
      table.span,
      table.start,
      table.userId,
      table.userName,
      table.source,
      table.apiKeyId,
      table.apiKeyName,
      table.model,
      table.currency,
    ],
  }),
  pg.index('auth_usage_sums_by_user').on(table.userId, table.span, table.start),
])

/** Sums by the hour, day and month of the requests with an end user or a tag. */
export const usageLabelSumsOnSqlite = sqlite.sqliteTable(
  'auth_usage_label_sums',
  {
    /** `end_user`, or `tag:` with a name. */
    label: sqlite.text('label').notNull(),
    value: sqlite.text('value').notNull(),
    ...sumColumnsOnSqlite(),
  },
  (table) => [
    sqlite.primaryKey({
      name: 'auth_usage_label_sums_pk',
      columns: [
        table.label,
        table.span,
        table.start,
        table.value,
        table.userId,
        table.userName,
        table.source,
        table.apiKeyId,
        table.apiKeyName,
        table.model,
        table.currency,
      ],
    }),
    sqlite.index('auth_usage_label_sums_by_user').on(table.userId),
    sqlite.index('auth_usage_label_sums_by_start').on(table.span, table.start),
  ],
)

/** Values that the sums of a day keep apart. */
export const usageLabelsOnSqlite = sqlite.sqliteTable(
  'auth_usage_labels',
  {
    day: sqlite.integer('day').notNull(),
    label: sqlite.text('label').notNull(),
    value: sqlite.text('value').notNull(),
  },
  (table) => [sqlite.primaryKey({ name: 'auth_usage_labels_pk', columns: [table.day, table.label, table.value] })],
)

export const usageLabelSumsOnPostgres = pg.pgTable(
  'auth_usage_label_sums',
  {
    label: pg.text('label').notNull(),
    value: pg.text('value').notNull(),
    ...sumColumnsOnPostgres(),
  },
  (table) => [
    pg.primaryKey({
      name: 'auth_usage_label_sums_pk',
      columns: [
        table.label,
        table.span,
        table.start,
        table.value,
        table.userId,
        table.userName,
        table.source,
        table.apiKeyId,
        table.apiKeyName,
        table.model,
        table.currency,
      ],
    }),
    pg.index('auth_usage_label_sums_by_user').on(table.userId),
    pg.index('auth_usage_label_sums_by_start').on(table.span, table.start),
  ],
)

export const usageLabelsOnPostgres = pg.pgTable(
  'auth_usage_labels',
  {
    day: pg.bigint('day', { mode: 'number' }).notNull(),
    label: pg.text('label').notNull(),
    value: pg.text('value').notNull(),
  },
  (table) => [pg.primaryKey({ name: 'auth_usage_labels_pk', columns: [table.day, table.label, table.value] })],
)
