import { bigint, pgTable, text } from 'drizzle-orm/pg-core'

/** Facts about this installation by name: its id, and the version that used the database last. */
export const instance = pgTable('instance', {
  key: text('key').primaryKey(),
  value: text('value').notNull(),
  /** Milliseconds since the epoch. */
  updatedAt: bigint('updated_at', { mode: 'number' }).notNull(),
})
