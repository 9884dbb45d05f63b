import { and, count, desc, eq, inArray, lt, lte, or, sql } from 'drizzle-orm'
import type { ApiKeyStore } from '../ports/credentials.ts'
import { inBatches } from './batches.ts'
import { raiseRights } from './facts.ts'
import type { DrizzleQueries, Queries } from './queries.ts'
import { publicColumns, toApiKey, toUser } from './rows.ts'
import type { AuthTables } from './tables.ts'

/** Uses that one statement notes. */
const TOUCH_BATCH = 500

async function touchBatch(
  queries: Queries,
  { apiKeys }: AuthTables,
  uses: readonly { readonly id: string; readonly at: number }[],
): Promise<void> {
  const cases = uses.map(({ id, at }) => sql`WHEN ${id} THEN CAST(${at} AS BIGINT)`)
  const at = sql`CASE ${apiKeys.id} ${sql.join(cases, sql` `)} END`
  const isLater = sql`(${apiKeys.lastUsedAt} IS NULL OR ${apiKeys.lastUsedAt} < ${at})`
  const ids = uses.map(({ id }) => id)
  await queries.change((db) =>
    db
      .update(apiKeys)
      .set({ lastUsedAt: at })
      .where(and(inArray(apiKeys.id, ids), isLater)),
  )
}

/** Users' keys in a database. */
export function createDrizzleApiKeys(queries: DrizzleQueries, tables: AuthTables): ApiKeyStore {
  const { apiKeys, users, sessions } = tables
  const findOne = async (condition: ReturnType<typeof and>) => {
    const [row] = await queries.rows((db) =>
      db
        .select({ key: apiKeys, user: publicColumns(tables) })
        .from(apiKeys)
        .innerJoin(users, eq(users.id, apiKeys.userId))
        .where(condition),
    )
    return row === undefined ? undefined : { key: toApiKey(row.key), user: toUser(row.user) }
  }
  return {
    create: (key, { maxKeys }) =>
      queries.transaction(async (transaction) => {
        // an update that changes nothing keeps the account as it is until the end of the transaction
        const owners = await transaction.change((db) =>
          db.update(users).set({ id: key.userId }).where(eq(users.id, key.userId)),
        )
        const [row] = await transaction.rows((db) =>
          db.select({ total: count() }).from(apiKeys).where(eq(apiKeys.userId, key.userId)),
        )
        if (owners === 0 || Number(row?.total ?? 0) >= maxKeys) return false
        await transaction.change((db) =>
          db.insert(apiKeys).values({
            ...key,
            scopes: JSON.stringify(key.scopes),
            expiresAt: key.expiresAt ?? null,
            lastUsedAt: key.lastUsedAt ?? null,
          }),
        )
        return true
      }),
    findByHash: (hash) => findOne(eq(apiKeys.hash, hash)),
    findById: (id) => findOne(eq(apiKeys.id, id)),
    async listByUser(userId, { after, limit }) {
      const last =
        after === undefined ? undefined : await findOne(and(eq(apiKeys.id, after), eq(apiKeys.userId, userId)))
      if (after !== undefined && last === undefined) return []
      const isEarlier =
        last === undefined
          ? undefined
          : or(
              lt(apiKeys.createdAt, last.key.createdAt),
              and(eq(apiKeys.createdAt, last.key.createdAt), lt(apiKeys.id, last.key.id)),
            )
      const rows = await queries.rows((db) =>
        db
          .select()
          .from(apiKeys)
          .where(and(eq(apiKeys.userId, userId), isEarlier))
          .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id))
          .limit(limit),
      )
      return rows.map(toApiKey)
    },
    remove: ({ id, userId }) =>
      queries.transaction(async (transaction) => {
        const removed = await transaction.change((db) =>
          db.delete(apiKeys).where(and(eq(apiKeys.id, id), eq(apiKeys.userId, userId))),
        )
        if (removed === 0) return false
        await transaction.change((db) => db.delete(sessions).where(eq(sessions.apiKeyId, id)))
        await raiseRights(transaction, tables)
        return true
      }),
    async touch(uses) {
      for (const batch of inBatches(uses, TOUCH_BATCH)) await touchBatch(queries, tables, batch)
    },
    removeExpired: ({ now, limit }) =>
      queries.change((db) =>
        db
          .delete(apiKeys)
          .where(
            inArray(
              apiKeys.id,
              db.select({ id: apiKeys.id }).from(apiKeys).where(lte(apiKeys.expiresAt, now)).limit(limit),
            ),
          ),
      ),
  }
}
