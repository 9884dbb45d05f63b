import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'

/** Limits of accounts, keys, groups, models and end users. */
export const limitsOnSqlite = sqlite.sqliteTable('auth_limits', {
  id: sqlite.text('id').primaryKey(),
  subjectKind: sqlite.text('subject_kind').notNull(),
  subjectId: sqlite.text('subject_id').notNull(),
  /** Empty: all models together. */
  model: sqlite.text('model').notNull(),
  maxRequests: sqlite.integer('max_requests'),
  maxTokens: sqlite.integer('max_tokens'),
  /** Whole millionths. */
  maxCostMicros: sqlite.integer('max_cost_micros'),
  currency: sqlite.text('currency').notNull(),
  maxParallel: sqlite.integer('max_parallel'),
  windowKind: sqlite.text('window_kind').notNull(),
  /** Unit of a calendar window. */
  windowUnit: sqlite.text('window_unit'),
  /** Length of the other windows. */
  windowMs: sqlite.integer('window_ms'),
  isSoft: sqlite.integer('is_soft').notNull(),
  isEnabled: sqlite.integer('is_enabled').notNull(),
  note: sqlite.text('note').notNull(),
  createdAt: sqlite.integer('created_at').notNull(),
})

export const limitsOnPostgres = pg.pgTable('auth_limits', {
  id: pg.text('id').primaryKey(),
  subjectKind: pg.text('subject_kind').notNull(),
  subjectId: pg.text('subject_id').notNull(),
  model: pg.text('model').notNull(),
  maxRequests: pg.bigint('max_requests', { mode: 'number' }),
  maxTokens: pg.bigint('max_tokens', { mode: 'number' }),
  maxCostMicros: pg.bigint('max_cost_micros', { mode: 'number' }),
  currency: pg.text('currency').notNull(),
  maxParallel: pg.bigint('max_parallel', { mode: 'number' }),
  windowKind: pg.text('window_kind').notNull(),
  windowUnit: pg.text('window_unit'),
  windowMs: pg.bigint('window_ms', { mode: 'number' }),
  isSoft: pg.bigint('is_soft', { mode: 'number' }).notNull(),
  isEnabled: pg.bigint('is_enabled', { mode: 'number' }).notNull(),
  note: pg.text('note').notNull(),
  createdAt: pg.bigint('created_at', { mode: 'number' }).notNull(),
})
