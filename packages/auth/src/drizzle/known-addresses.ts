import { and, desc, eq, gte, inArray, lt } from 'drizzle-orm'
import type { KnownAddressStore } from '../ports/credentials.ts'
import type { DrizzleQueries } from './queries.ts'
import type { AuthTables } from './tables.ts'

/** Addresses of accounts, in a database. */
export function createDrizzleKnownAddresses(
  queries: DrizzleQueries,
  { knownAddresses }: AuthTables,
): KnownAddressStore {
  return {
    note: ({ hash, userId, now }, { maxAddresses }) =>
      queries.transaction(async (transaction) => {
        await transaction.change((db) =>
          db
            .insert(knownAddresses)
            .values({ hash, userId, usedAt: now })
            .onConflictDoUpdate({ target: knownAddresses.hash, set: { userId, usedAt: now } }),
        )
        const surplus = await transaction.rows((db) =>
          db
            .select({ hash: knownAddresses.hash })
            .from(knownAddresses)
            .where(eq(knownAddresses.userId, userId))
            .orderBy(desc(knownAddresses.usedAt), desc(knownAddresses.hash))
            .limit(100)
            .offset(maxAddresses),
        )
        const hashes = surplus.map((row) => row.hash)
        if (hashes.length > 0)
          await transaction.change((db) => db.delete(knownAddresses).where(inArray(knownAddresses.hash, hashes)))
      }),
    async isKnown({ hash, since }) {
      const rows = await queries.rows((db) =>
        db
          .select({ hash: knownAddresses.hash })
          .from(knownAddresses)
          .where(and(eq(knownAddresses.hash, hash), gte(knownAddresses.usedAt, since))),
      )
      return rows.length > 0
    },
    removeOld: ({ before, limit }) =>
      queries.change((db) =>
        db
          .delete(knownAddresses)
          .where(
            inArray(
              knownAddresses.hash,
              db
                .select({ hash: knownAddresses.hash })
                .from(knownAddresses)
                .where(lt(knownAddresses.usedAt, before))
                .limit(limit),
            ),
          ),
      ),
  }
}
