import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Facts about this installation by name: its id, and the version that used the database last. */
export const instance = sqliteTable('instance', {
  key: text('key').primaryKey(),
  value: text('value').notNull(),
  /** Milliseconds since the epoch. */
  updatedAt: integer('updated_at').notNull(),
})
