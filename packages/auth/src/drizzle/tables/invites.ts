import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'

/** Invites. Only the hashes of their codes are kept. */
export const invitesOnSqlite = sqlite.sqliteTable(
  'auth_invites',
  {
    id: sqlite.text('id').primaryKey(),
    hash: sqlite.text('hash').notNull(),
    prefix: sqlite.text('prefix').notNull(),
    createdBy: sqlite.text('created_by'),
    usedBy: sqlite.text('used_by'),
    usedAt: sqlite.integer('used_at'),
    note: sqlite.text('note').notNull().default(''),
    createdAt: sqlite.integer('created_at').notNull(),
    expiresAt: sqlite.integer('expires_at').notNull(),
  },
  (table) => [
    sqlite.uniqueIndex('auth_invites_by_hash').on(table.hash),
    sqlite.index('auth_invites_by_age').on(table.createdAt, table.id),
  ],
)

export const invitesOnPostgres = pg.pgTable(
  'auth_invites',
  {
    id: pg.text('id').primaryKey(),
    hash: pg.text('hash').notNull(),
    prefix: pg.text('prefix').notNull(),
    createdBy: pg.text('created_by'),
    usedBy: pg.text('used_by'),
    usedAt: pg.bigint('used_at', { mode: 'number' }),
    note: pg.text('note').notNull().default(''),
    createdAt: pg.bigint('created_at', { mode: 'number' }).notNull(),
    expiresAt: pg.bigint('expires_at', { mode: 'number' }).notNull(),
  },
  (table) => [
    pg.uniqueIndex('auth_invites_by_hash').on(table.hash),
    pg.index('auth_invites_by_age').on(table.createdAt, table.id),
  ],
)
