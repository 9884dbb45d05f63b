import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'

/** Groups of accounts. */
export const groupsOnSqlite = sqlite.sqliteTable(
  'auth_groups',
  {
    id: sqlite.text('id').primaryKey(),
    name: sqlite.text('name').notNull(),
    /** The form of the name that is unique. */
    nameKey: sqlite.text('name_key').notNull(),
    note: sqlite.text('note').notNull(),
    isDefault: sqlite.integer('is_default').notNull(),
    /** JSON. */
    features: sqlite.text('features').notNull(),
    /** JSON. */
    allowedModels: sqlite.text('allowed_models').notNull(),
    createdAt: sqlite.integer('created_at').notNull(),
  },
  (table) => [sqlite.uniqueIndex('auth_groups_by_name').on(table.nameKey)],
)

export const groupsOnPostgres = pg.pgTable(
  'auth_groups',
  {
    id: pg.text('id').primaryKey(),
    name: pg.text('name').notNull(),
    nameKey: pg.text('name_key').notNull(),
    note: pg.text('note').notNull(),
    isDefault: pg.bigint('is_default', { mode: 'number' }).notNull(),
    features: pg.text('features').notNull(),
    allowedModels: pg.text('allowed_models').notNull(),
    createdAt: pg.bigint('created_at', { mode: 'number' }).notNull(),
  },
  (table) => [pg.uniqueIndex('auth_groups_by_name').on(table.nameKey)],
)

/** Accounts in groups, once for each origin of the membership. */
export const groupMembersOnSqlite = sqlite.sqliteTable(
  'auth_group_members',
  {
    groupId: sqlite.text('group_id').notNull(),
    userId: sqlite.text('user_id').notNull(),
    origin: sqlite.text('origin').notNull(),
  },
  (table) => [
    sqlite.primaryKey({ columns: [table.groupId, table.userId, table.origin] }),
    sqlite.index('auth_group_members_by_user').on(table.userId),
  ],
)

export const groupMembersOnPostgres = pg.pgTable(
  'auth_group_members',
  {
    groupId: pg.text('group_id').notNull(),
    userId: pg.text('user_id').notNull(),
    origin: pg.text('origin').notNull(),
  },
  (table) => [
    pg.primaryKey({ columns: [table.groupId, table.userId, table.origin] }),
    pg.index('auth_group_members_by_user').on(table.userId),
  ],
)
