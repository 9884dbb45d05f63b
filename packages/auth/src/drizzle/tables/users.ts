import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'

/** Accounts. Times are milliseconds since the epoch, switches are 0 and 1, in every table. */
export const usersOnSqlite = sqlite.sqliteTable(
  'auth_users',
  {
    id: sqlite.text('id').primaryKey(),
    email: sqlite.text('email').notNull(),
    emailVerified: sqlite.integer('email_verified').notNull(),
    name: sqlite.text('name').notNull(),
    avatarUrl: sqlite.text('avatar_url').notNull(),
    provider: sqlite.text('provider').notNull(),
    subject: sqlite.text('subject').notNull(),
    /** Only of a local account. */
    passwordHash: sqlite.text('password_hash'),
    role: sqlite.text('role').notNull(),
    status: sqlite.text('status').notNull(),
    approved: sqlite.integer('approved').notNull(),
    /** Switches that were set by hand, as JSON. */
    features: sqlite.text('features').notNull(),
    /** As JSON. */
    allowedModels: sqlite.text('allowed_models').notNull(),
    createdAt: sqlite.integer('created_at').notNull(),
    updatedAt: sqlite.integer('updated_at').notNull(),
  },
  (table) => [
    sqlite.uniqueIndex('auth_users_by_subject').on(table.provider, table.subject),
    sqlite.index('auth_users_by_age').on(table.createdAt, table.id),
  ],
)

export const usersOnPostgres = pg.pgTable(
  'auth_users',
  {
    id: pg.text('id').primaryKey(),
    email: pg.text('email').notNull(),
    emailVerified: pg.integer('email_verified').notNull(),
    name: pg.text('name').notNull(),
    avatarUrl: pg.text('avatar_url').notNull(),
    provider: pg.text('provider').notNull(),
    subject: pg.text('subject').notNull(),
    passwordHash: pg.text('password_hash'),
    role: pg.text('role').notNull(),
    status: pg.text('status').notNull(),
    approved: pg.integer('approved').notNull(),
    features: pg.text('features').notNull(),
    allowedModels: pg.text('allowed_models').notNull(),
    createdAt: pg.bigint('created_at', { mode: 'number' }).notNull(),
    updatedAt: pg.bigint('updated_at', { mode: 'number' }).notNull(),
  },
  (table) => [
    pg.uniqueIndex('auth_users_by_subject').on(table.provider, table.subject),
    pg.index('auth_users_by_age').on(table.createdAt, table.id),
  ],
)
