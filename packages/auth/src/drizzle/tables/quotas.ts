import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'

/** Limits of an account's use of a model in a window of time. */
export const quotaRulesOnSqlite = sqlite.sqliteTable(
  'auth_quota_rules',
  {
    id: sqlite.text('id').primaryKey(),
    userId: sqlite.text('user_id').notNull(),
    /** Empty: all models together. */
    model: sqlite.text('model').notNull(),
    maxRequests: sqlite.integer('max_requests'),
    maxTokens: sqlite.integer('max_tokens'),
    windowMs: sqlite.integer('window_ms').notNull(),
    createdAt: sqlite.integer('created_at').notNull(),
  },
  (table) => [sqlite.uniqueIndex('auth_quota_rules_by_user').on(table.userId, table.model)],
)

export const quotaRulesOnPostgres = pg.pgTable(
  'auth_quota_rules',
  {
    id: pg.text('id').primaryKey(),
    userId: pg.text('user_id').notNull(),
    model: pg.text('model').notNull(),
    maxRequests: pg.bigint('max_requests', { mode: 'number' }),
    maxTokens: pg.bigint('max_tokens', { mode: 'number' }),
    windowMs: pg.bigint('window_ms', { mode: 'number' }).notNull(),
    createdAt: pg.bigint('created_at', { mode: 'number' }).notNull(),
  },
  (table) => [pg.uniqueIndex('auth_quota_rules_by_user').on(table.userId, table.model)],
)

/** The count of each rule in its window. */
export const quotaCountersOnSqlite = sqlite.sqliteTable('auth_quota_counters', {
  ruleId: sqlite.text('rule_id').primaryKey(),
  windowStart: sqlite.integer('window_start').notNull(),
  requests: sqlite.integer('requests').notNull(),
  tokens: sqlite.integer('tokens').notNull(),
  /** Whole millionths of the currency of the limit. */
  costMicros: sqlite.integer('cost_micros').notNull().default(0),
  /** Open reservations. */
  parallel: sqlite.integer('parallel').notNull().default(0),
  /** The parts of a rolling window, as JSON. */
  buckets: sqlite.text('buckets'),
})

export const quotaCountersOnPostgres = pg.pgTable('auth_quota_counters', {
  ruleId: pg.text('rule_id').primaryKey(),
  windowStart: pg.bigint('window_start', { mode: 'number' }).notNull(),
  requests: pg.bigint('requests', { mode: 'number' }).notNull(),
  tokens: pg.bigint('tokens', { mode: 'number' }).notNull(),
  costMicros: pg.bigint('cost_micros', { mode: 'number' }).notNull().default(0),
  parallel: pg.bigint('parallel', { mode: 'number' }).notNull().default(0),
  buckets: pg.text('buckets'),
})

/** The reservations of running requests, until they are settled. */
export const quotaReservationsOnSqlite = sqlite.sqliteTable(
  'auth_quota_reservations',
  {
    id: sqlite.text('id').notNull(),
    ruleId: sqlite.text('rule_id').notNull(),
    windowStart: sqlite.integer('window_start').notNull(),
    tokens: sqlite.integer('tokens').notNull(),
    costMicros: sqlite.integer('cost_micros').notNull().default(0),
    expiresAt: sqlite.integer('expires_at').notNull(),
  },
  (table) => [
    sqlite.primaryKey({ columns: [table.id, table.ruleId] }),
    sqlite.index('auth_quota_reservations_by_rule').on(table.ruleId, table.expiresAt),
  ],
)

export const quotaReservationsOnPostgres = pg.pgTable(
  'auth_quota_reservations',
  {
    id: pg.text('id').notNull(),
    ruleId: pg.text('rule_id').notNull(),
    windowStart: pg.bigint('window_start', { mode: 'number' }).notNull(),
    tokens: pg.bigint('tokens', { mode: 'number' }).notNull(),
    costMicros: pg.bigint('cost_micros', { mode: 'number' }).notNull().default(0),
    expiresAt: pg.bigint('expires_at', { mode: 'number' }).notNull(),
  },
  (table) => [
    pg.primaryKey({ columns: [table.id, table.ruleId] }),
    pg.index('auth_quota_reservations_by_rule').on(table.ruleId, table.expiresAt),
  ],
)
