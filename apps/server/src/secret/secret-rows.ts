import { createTokenHasher } from '@svc/auth'
import { isNull, sql } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import type { Queries } from '../db/queries.ts'

/** Name of the check value among the facts of an installation. */
const CHECK_KEY = 'secret_check'

/** Numbers of entries that a rotation has ended. */
export interface EndedEntries {
  readonly sessions: number
  readonly apiKeys: number
  readonly invites: number
}

/** The part of a database that depends on the secret of the server. */
export interface SecretRows {
  /** The check value; undefined where the database has never seen a secret. */
  readCheck(): Promise<string | undefined>
  /** Keeps a check value unless the database has one. */
  keepCheck(check: string, now: number): Promise<void>
  /** Whether anything is stored as a hash under a secret. */
  holdsHashes(): Promise<boolean>
  /**
   * Removes the rows that only the secret before can prove, and keeps the check value of the new one, together or not
   * at all.
   */
  changeSecret(check: string, now: number): Promise<EndedEntries>
}

/** A value by which a database knows its secret without having it. */
export function toCheck(secret: string): string {
  return createTokenHasher(secret).hash('check', 'the secret of this database')
}

/** The rows of a database that depend on its secret. */
export function createSecretRows({ queries }: Pick<Database, 'queries'>): SecretRows {
  const insertCheck = (target: Queries, value: string, now: number, isForced: boolean) =>
    target.change((db, { instance }) => {
      const insert = db.insert(instance).values({ key: CHECK_KEY, value, updatedAt: now })
      return isForced
        ? insert.onConflictDoUpdate({ target: instance.key, set: { value, updatedAt: now } })
        : insert.onConflictDoNothing()
    })
  return {
    readCheck: () => queries.readFact(CHECK_KEY),
    async keepCheck(check, now) {
      await insertCheck(queries, check, now, false)
    },
    async holdsHashes() {
      for (const name of ['sessions', 'apiKeys', 'invites'] as const) {
        const rows = await queries.rows((db, tables) => db.select({ id: tables[name].id }).from(tables[name]).limit(1))
        if (rows.length > 0) return true
      }
      return false
    },
    changeSecret: (check, now) =>
      queries.transaction(async (transaction) => {
        const [sessions, apiKeys, invites] = [
          await transaction.change((db, tables) => db.delete(tables.sessions)),
          await transaction.change((db, tables) => db.delete(tables.apiKeys)),
          // used ones stay: they say who came in by whom
          await transaction.change((db, tables) => db.delete(tables.invites).where(isNull(tables.invites.usedAt))),
        ]
        for (const name of ['signIns', 'usedTokens', 'knownAddresses'] as const)
          await transaction.change((db, tables) => db.delete(tables[name]))
        await transaction.change((db, { facts }) =>
          db
            .insert(facts)
            .values({ key: 'rights_revision', value: 1 })
            .onConflictDoUpdate({ target: facts.key, set: { value: sql`${facts.value} + 1` } }),
        )
        await insertCheck(transaction, check, now, true)
        return { sessions, apiKeys, invites }
      }),
  }
}
