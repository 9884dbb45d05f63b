import { eq, sql } from 'drizzle-orm'
import type { RightsStore } from '../ports/users.ts'
import type { Queries } from './queries.ts'
import type { AuthTables } from './tables.ts'

/** Names of the single numbers. */
export type FactKey = 'accounts' | 'rights_revision' | 'service_keys' | 'usage_labels' | 'usage_pruned_before'

/**
 * Adds one to a number. Until the transaction ends, others who do so wait: a lock for every dialect.
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

/** Channel on which other processes hear that rights have changed. */
const RIGHTS_CHANNEL = 'svc_rights'

/** Raises the revision of rights, and tells other processes once the transaction is stored. */
export async function raiseRights(queries: Queries, tables: AuthTables): Promise<void> {
  await raiseFact(queries, tables, 'rights_revision')
  await queries.notify?.(RIGHTS_CHANNEL)
}

/** Listens to notifications of the database for as long as it is open. @param onNotice called with each of them */
export type Listen = (channel: string, onNotice: () => void) => Promise<void>

/** The revision of rights. */
export function createRightsStore(queries: Queries, tables: AuthTables, listen?: Listen): RightsStore {
  return {
    async revision({ signal }) {
      signal.throwIfAborted()
      return readFact(queries, tables, 'rights_revision')
    },
    ...(listen === undefined ? {} : { listen: (onChange) => listen(RIGHTS_CHANNEL, onChange) }),
  }
}
