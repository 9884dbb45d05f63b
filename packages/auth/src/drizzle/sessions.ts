import { and, desc, eq, inArray, isNull, lte, ne, or } from 'drizzle-orm'
import type { FoundSession, SessionStore } from '../ports/credentials.ts'
import { raiseRights } from './facts.ts'
import type { DrizzleQueries, Queries } from './queries.ts'
import { publicColumns, toApiKey, toSession, toUser } from './rows.ts'
import type { AuthTables } from './tables.ts'

/** Browser sessions in a database. */
export function createDrizzleSessions(queries: DrizzleQueries, tables: AuthTables): SessionStore {
  const { sessions, users, apiKeys } = tables
  const findOne = async (
    condition: ReturnType<typeof and>,
    isCurrent: (hash: string) => boolean,
  ): Promise<FoundSession | undefined> => {
    const [row] = await queries.rows((db) =>
      db
        .select({ session: sessions, user: publicColumns(tables), apiKey: apiKeys })
        .from(sessions)
        .leftJoin(users, eq(users.id, sessions.userId))
        .leftJoin(apiKeys, eq(apiKeys.id, sessions.apiKeyId))
        .where(condition),
    )
    if (row === undefined) return undefined
    return {
      session: toSession(row.session),
      user: row.user === null ? undefined : toUser(row.user),
      apiKey: row.apiKey === null ? undefined : toApiKey(row.apiKey),
      isCurrent: isCurrent(row.session.hash),
      previousUntil: row.session.previousUntil,
    }
  }
  async function remove(transaction: Queries, condition: ReturnType<typeof and>): Promise<number> {
    const removed = await transaction.change((db) => db.delete(sessions).where(condition))
    if (removed > 0) await raiseRights(transaction, tables)
    return removed
  }
  /** Keeps the hash of an account until the transaction ends. @returns whether the account has that hash */
  async function holdPassword(transaction: Queries, userId = '', passwordHash = ''): Promise<boolean> {
    // A write: a change of the password waits for it, and then removes the session.
    const held = await transaction.change((db) =>
      db
        .update(users)
        .set({ passwordHash })
        .where(and(eq(users.id, userId), eq(users.passwordHash, passwordHash))),
    )
    return held > 0
  }
  const removeWhere = (condition: ReturnType<typeof and>): Promise<number> =>
    queries.transaction((transaction) => remove(transaction, condition))
  return {
    create: (session, { maxSessions, passwordHash }) =>
      queries.transaction(async (transaction) => {
        if (passwordHash !== undefined && !(await holdPassword(transaction, session.userId, passwordHash))) return false
        const { userId = null, sharedKeyHash = null, apiKeyId = null, providerSession = null } = session
        await transaction.change((db) =>
          db.insert(sessions).values({
            ...session,
            ...{ userId, sharedKeyHash, apiKeyId, providerSession },
            previousHash: null,
            previousUntil: 0,
          }),
        )
        const isOwn = and(
          userId === null ? isNull(sessions.userId) : eq(sessions.userId, userId),
          sharedKeyHash === null ? isNull(sessions.sharedKeyHash) : eq(sessions.sharedKeyHash, sharedKeyHash),
        )
        const surplus = await transaction.rows((db) =>
          db
            .select({ id: sessions.id })
            .from(sessions)
            .where(isOwn)
            .orderBy(desc(sessions.createdAt), desc(sessions.id))
            .limit(100)
            .offset(maxSessions),
        )
        const ids = surplus.map(({ id }) => id)
        if (ids.length > 0) await transaction.change((db) => db.delete(sessions).where(inArray(sessions.id, ids)))
        return true
      }),
    findByHash: (hash) =>
      findOne(or(eq(sessions.hash, hash), eq(sessions.previousHash, hash)), (current) => current === hash),
    findById: (id) => findOne(eq(sessions.id, id), () => true),
    async rotate({ id, from, to, now, previousUntil }) {
      const changed = await queries.change((db) =>
        db
          .update(sessions)
          .set({ hash: to, previousHash: from, previousUntil, rotatedAt: now })
          .where(and(eq(sessions.id, id), eq(sessions.hash, from))),
      )
      return changed > 0
    },
    remove: async (id) => (await removeWhere(eq(sessions.id, id))) > 0,
    removeByUser: (userId, { except = '' }) =>
      queries.transaction(async (transaction) => {
        const isKept = and(eq(sessions.userId, userId), eq(sessions.id, except))
        await transaction.change((db) =>
          db.update(sessions).set({ previousHash: null, previousUntil: 0 }).where(isKept),
        )
        return remove(transaction, and(eq(sessions.userId, userId), ne(sessions.id, except)))
      }),
    removeByProvider: ({ userId, providerSession }) =>
      removeWhere(
        and(
          userId === undefined ? undefined : eq(sessions.userId, userId),
          eq(sessions.providerSession, providerSession),
        ),
      ),
    removeExpired: ({ now, limit }) =>
      queries.change((db) =>
        db
          .delete(sessions)
          .where(
            inArray(
              sessions.id,
              db.select({ id: sessions.id }).from(sessions).where(lte(sessions.expiresAt, now)).limit(limit),
            ),
          ),
      ),
  }
}
