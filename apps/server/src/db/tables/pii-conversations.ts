import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'

/** Masked values of conversations with their tokens. */
export const piiConversationsOnSqlite = sqlite.sqliteTable(
  'pii_conversations',
  {
    /** Hash of the owner, the conversation and the form of its tokens. */
    hash: sqlite.text('hash').primaryKey(),
    /** Hash of the owner. */
    owner: sqlite.text('owner').notNull(),
    /** Grows with every write, from a random number. */
    version: sqlite.integer('version').notNull(),
    /** Pairs of tokens and values, JSON, sealed, in base64. */
    content: sqlite.text('content').notNull(),
    /** Milliseconds since the epoch. */
    expiresAt: sqlite.integer('expires_at').notNull(),
  },
  (table) => [
    sqlite.index('pii_conversations_by_end').on(table.expiresAt),
    sqlite.index('pii_conversations_by_owner').on(table.owner, table.expiresAt),
  ],
)

export const piiConversationsOnPostgres = pg.pgTable(
  'pii_conversations',
  {
    hash: pg.text('hash').primaryKey(),
    owner: pg.text('owner').notNull(),
    version: pg.bigint('version', { mode: 'number' }).notNull(),
    content: pg.text('content').notNull(),
    expiresAt: pg.bigint('expires_at', { mode: 'number' }).notNull(),
  },
  (table) => [
    pg.index('pii_conversations_by_end').on(table.expiresAt),
    pg.index('pii_conversations_by_owner').on(table.owner, table.expiresAt),
  ],
)
