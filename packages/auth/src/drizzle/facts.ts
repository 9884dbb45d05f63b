import { eq, sql } from 'drizzle-orm'
import type { RightsStore } from '../ports/users.ts'
import type { Queries } from './queries.ts'
import type { AuthTables } from './tables.ts'

/** Names of the single numbers. */
export type FactKey = 'accounts' | 'rights_revision' | 'usage_pruned_before'

/**
 * Adds one to a number. Until the transaction ends, others who do the same wait: a lock that needs no dialect.
 */
export async function raiseFact(queries: Queries, { facts }: AuthTables, key: FactKey): Promise<void> {
  await queries.change((db) =>
    db
      .insert(facts)
      .values({ key, value: 1 })
      .onConflictDoUpdate({ target: facts.key, set: { value: sql`${facts.value} + 1` } }),
  )
}

/** Sets a number unless it is higher already. */
export async function liftFact(
  queries: Queries,
  { facts }: AuthTables,
  { key, value }: { readonly key: FactKey; readonly value: number },
): Promise<void> {
  await queries.change((db) =>
    db
      .insert(facts)
      .values({ key, value })
      .onConflictDoUpdate({ target: facts.key, set: { value }, setWhere: sql`${facts.value} < ${value}` }),
  )
}

/** A number; 0 when it was never set. */
export async function readFact(queries: Queries, { facts }: AuthTables, key: FactKey): Promise<number> {
  const [row] = await queries.rows((db) => db.select({ value: facts.value }).from(facts).where(eq(facts.key, key)))
  return row?.value ?? 0
}

/** The revision of rights. */
export function createRightsStore(queries: Queries, tables: AuthTables): RightsStore {
  return {
    async revision({ signal }) {
      signal.throwIfAborted()
      return readFact(queries, tables, 'rights_revision')
    },
  }
}
