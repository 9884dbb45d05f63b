import { and, desc, eq, gt, inArray, isNull, lte, ne, or } from 'drizzle-orm'
import type { FoundSession, SessionStore } from '../ports/credentials.ts'
import { raiseRights } from './facts.ts'
import type { DrizzleQueries, Queries } from './queries.ts'
import { publicColumns, toApiKey, toSession, toUser } from './rows.ts'
import type { AuthTables } from './tables.ts'

type Condition = ReturnType<typeof and>
type NewSession = Parameters<SessionStore['create']>[0]

/** A connection or transaction with the tables that it reads and writes. */
interface Connection {
  readonly queries: Queries
  readonly tables: AuthTables
}

async function findSession(
  { queries, tables }: Connection,
  condition: Condition,
  isCurrent: (hash: string) => boolean,
): Promise<FoundSession | undefined> {
  const { sessions, users, apiKeys } = tables
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

/** Removes sessions; rights that end are noted. @returns how many */
async function removeSessions({ queries, tables }: Connection, condition: Condition): Promise<number> {
  const removed = await queries.change((db) => db.delete(tables.sessions).where(condition))
  if (removed > 0) await raiseRights(queries, tables)
  return removed
}

/** Keeps the hash of an account until the transaction ends. @returns whether the account has that hash */
async function holdPassword({ queries, tables }: Connection, userId = '', passwordHash = ''): Promise<boolean> {
  const { users } = tables
  // A write: a change of the password waits for it, and then removes the session.
  const held = await queries.change((db) =>
    db
      .update(users)
      .set({ passwordHash })
      .where(and(eq(users.id, userId), eq(users.passwordHash, passwordHash))),
  )
  return held > 0
}

/** Keeps the values of the key of a session until the transaction ends. @returns whether the key has that value */
async function holdKey({ queries, tables }: Connection, session: NewSession, hash: string): Promise<boolean> {
  const { apiKeys } = tables
  const { apiKeyId = '', createdAt } = session
  const isBefore = and(eq(apiKeys.previousHash, hash), gt(apiKeys.previousUntil, createdAt))
  // A write: a rotation waits for it, and then finds the session.
  const held = await queries.change((db) =>
    db
      .update(apiKeys)
      .set({ id: apiKeyId })
      .where(and(eq(apiKeys.id, apiKeyId), or(eq(apiKeys.hash, hash), isBefore))),
  )
  return held > 0
}

async function insertSession({ queries, tables }: Connection, session: NewSession): Promise<void> {
  const { userId = null, sharedKeyHash = null, apiKeyId = null, providerSession = null } = session
  await queries.change((db) =>
    db.insert(tables.sessions).values({
      ...session,
      userId,
      sharedKeyHash,
      apiKeyId,
      providerSession,
      previousHash: null,
      previousUntil: 0,
    }),
  )
}

/** Removes the oldest sessions of the owner of a session beyond a number. */
async function removeSurplus({ queries, tables }: Connection, owned: NewSession, maxSessions: number): Promise<void> {
  const { sessions } = tables
  const { userId, sharedKeyHash } = owned
  const isOwn = and(
    userId === undefined ? isNull(sessions.userId) : eq(sessions.userId, userId),
    sharedKeyHash === undefined ? isNull(sessions.sharedKeyHash) : eq(sessions.sharedKeyHash, sharedKeyHash),
  )
  const surplus = await queries.rows((db) =>
    db
      .select({ id: sessions.id })
      .from(sessions)
      .where(isOwn)
      .orderBy(desc(sessions.createdAt), desc(sessions.id))
      .limit(100)
      .offset(maxSessions),
  )
  const ids = surplus.map(({ id }) => id)
  if (ids.length > 0) await queries.change((db) => db.delete(sessions).where(inArray(sessions.id, ids)))
}

/** Browser sessions in a database. */
export function createDrizzleSessions(queries: DrizzleQueries, tables: AuthTables): SessionStore {
  const { sessions } = tables
  const connection: Connection = { queries, tables }
  const inTransaction = <T>(work: (connection: Connection) => Promise<T>): Promise<T> =>
    queries.transaction((transaction) => work({ queries: transaction, tables }))
  const removeWhere = (condition: Condition): Promise<number> =>
    inTransaction((transaction) => removeSessions(transaction, condition))
  return {
    create: (session, { maxSessions, passwordHash, keyHash }) =>
      inTransaction(async (transaction) => {
        if (passwordHash !== undefined && !(await holdPassword(transaction, session.userId, passwordHash))) return false
        if (keyHash !== undefined && !(await holdKey(transaction, session, keyHash))) return false
        await insertSession(transaction, session)
        await removeSurplus(transaction, session, maxSessions)
        return true
      }),
    findByHash: (hash) =>
      findSession(
        connection,
        or(eq(sessions.hash, hash), eq(sessions.previousHash, hash)),
        (current) => current === hash,
      ),
    findById: (id) => findSession(connection, eq(sessions.id, id), () => true),
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
      inTransaction(async (transaction) => {
        const isKept = and(eq(sessions.userId, userId), eq(sessions.id, except))
        await transaction.queries.change((db) =>
          db.update(sessions).set({ previousHash: null, previousUntil: 0 }).where(isKept),
        )
        return removeSessions(transaction, and(eq(sessions.userId, userId), ne(sessions.id, except)))
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
