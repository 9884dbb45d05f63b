import {
  type AnyColumn,
  and,
  count,
  desc,
  eq,
  exists,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  ne,
  or,
  sql,
} from 'drizzle-orm'
import type { ApiKey, ApiKeyStore, FoundKey, KeyAddress, KeyFilter } from '../ports/credentials.ts'
import type { Page } from '../ports/users.ts'
import { inBatches } from './batches.ts'
import { raiseFact, raiseRights } from './facts.ts'
import { removeLimitsOf } from './limits.ts'
import type { DrizzleQueries, Queries } from './queries.ts'
import { publicColumns, toApiKey, toKeyColumns, toUser } from './rows.ts'
import type { AuthTables } from './tables.ts'

type Condition = ReturnType<typeof and>

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

const toOwnerColumn = (userId: string | undefined): string => userId ?? ''

/** Keeps the owner of a key as it is until the end of the transaction. @returns whether it is there */
async function holdOwner(transaction: Queries, tables: AuthTables, userId: string | undefined): Promise<boolean> {
  if (userId === undefined) {
    await raiseFact(transaction, tables, 'service_keys')
    return true
  }
  const { users } = tables
  const owners = await transaction.change((db) => db.update(users).set({ id: userId }).where(eq(users.id, userId)))
  return owners > 0
}

async function insertKey(
  transaction: Queries,
  { apiKeys }: AuthTables,
  { block, ...key }: ApiKey & { readonly hash: string },
): Promise<void> {
  await transaction.change((db) =>
    db.insert(apiKeys).values({
      ...key,
      userId: toOwnerColumn(key.userId),
      scopes: JSON.stringify(key.scopes),
      blockedBy: block?.by ?? null,
      blockReason: block?.reason ?? '',
      createdBy: key.createdBy ?? null,
      expiresAt: key.expiresAt ?? null,
      lastUsedAt: key.lastUsedAt ?? null,
      rotatedAt: key.rotatedAt ?? null,
      previousHash: null,
    }),
  )
}

/** The keys that a filter lets through. */
function toCondition({ apiKeys }: AuthTables, { userId, isService, isBlocked, text }: KeyFilter): Condition {
  const pattern = text?.replace(/[\\%_]/g, '\\$&')
  const hasText = (column: AnyColumn) => sql`lower(${column}) LIKE lower(CAST(${`%${pattern}%`} AS TEXT)) ESCAPE '\\'`
  return and(
    userId === undefined ? undefined : eq(apiKeys.userId, userId),
    isService === undefined ? undefined : isService ? eq(apiKeys.userId, '') : ne(apiKeys.userId, ''),
    isBlocked === undefined ? undefined : isBlocked ? isNotNull(apiKeys.blockedBy) : isNull(apiKeys.blockedBy),
    pattern === undefined ? undefined : or(hasText(apiKeys.name), hasText(apiKeys.note), hasText(apiKeys.prefix)),
  )
}

const isKey = ({ apiKeys }: AuthTables, { id, userId }: KeyAddress): Condition =>
  and(eq(apiKeys.id, id), eq(apiKeys.userId, toOwnerColumn(userId)))

/** A page of the keys of a condition, with their owners. */
function createReads(queries: Queries, tables: AuthTables) {
  const { apiKeys, users } = tables

  async function findAll(
    condition: Condition,
    { limit, isCurrent = () => true }: { readonly limit: number; readonly isCurrent?: (hash: string) => boolean },
  ): Promise<readonly FoundKey[]> {
    const rows = await queries.rows((db) =>
      db
        .select({ key: apiKeys, user: publicColumns(tables) })
        .from(apiKeys)
        .leftJoin(users, eq(users.id, apiKeys.userId))
        .where(condition)
        .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id))
        .limit(limit),
    )
    return rows.flatMap(({ key: row, user }): FoundKey[] => {
      const key = toApiKey(row)
      // The account may be gone: its keys are nobody's then, not those of services.
      if (user === null && key.userId !== undefined) return []
      return [{ key, user: user === null ? undefined : toUser(user), isCurrent: isCurrent(row.hash) }]
    })
  }

  /** The keys of a list that stand behind one of them; none where the list does not have that one. */
  async function findPage(isListed: Condition, { after, limit }: Page): Promise<readonly FoundKey[]> {
    if (after === undefined) return findAll(isListed, { limit })
    const [last] = await queries.rows((db) =>
      db
        .select({ createdAt: apiKeys.createdAt })
        .from(apiKeys)
        .where(and(eq(apiKeys.id, after), isListed)),
    )
    if (last === undefined) return []
    const isEarlier = or(
      lt(apiKeys.createdAt, last.createdAt),
      and(eq(apiKeys.createdAt, last.createdAt), lt(apiKeys.id, after)),
    )
    return findAll(and(isListed, isEarlier), { limit })
  }

  return { findAll, findPage }
}

/** Removes the sessions that the value before the present one has begun: before the present one came, or in its grace. */
async function removeOldestSessions(
  transaction: Queries,
  { apiKeys, sessions }: AuthTables,
  condition: Condition,
): Promise<void> {
  const isOldest = or(lte(sessions.createdAt, apiKeys.rotatedAt), lte(sessions.expiresAt, apiKeys.previousUntil))
  await transaction.change((db) =>
    db.delete(sessions).where(
      exists(
        db
          .select({ id: apiKeys.id })
          .from(apiKeys)
          .where(and(condition, eq(apiKeys.id, sessions.apiKeyId), isOldest)),
      ),
    ),
  )
}

/** Changes of a key after which every server asks again for those who use it. */
function createChanges(queries: DrizzleQueries, tables: AuthTables): Pick<ApiKeyStore, 'edit' | 'rotate' | 'remove'> {
  const { apiKeys, sessions } = tables
  const changeRights = (change: (transaction: Queries) => Promise<number>): Promise<boolean> =>
    queries.transaction(async (transaction) => {
      if ((await change(transaction)) === 0) return false
      await raiseRights(transaction, tables)
      return true
    })
  return {
    edit: (key, change, { keepsAdminBlock = false }) =>
      changeRights((transaction) => {
        const isOpen = or(isNull(apiKeys.blockedBy), eq(apiKeys.blockedBy, 'owner'))
        return transaction.change((db) =>
          db
            .update(apiKeys)
            .set(toKeyColumns(change))
            .where(and(isKey(tables, key), keepsAdminBlock ? isOpen : undefined)),
        )
      }),
    rotate: (key, { from, to, now, previousUntil }) =>
      changeRights(async (transaction) => {
        await removeOldestSessions(transaction, tables, and(isKey(tables, key), eq(apiKeys.prefix, from)))
        return transaction.change((db) =>
          db
            .update(apiKeys)
            .set({
              hash: to.hash,
              prefix: to.prefix,
              previousHash: previousUntil > now ? sql`${apiKeys.hash}` : null,
              previousUntil,
              rotatedAt: now,
            })
            .where(and(isKey(tables, key), eq(apiKeys.prefix, from))),
        )
      }),
    remove: (key) =>
      changeRights(async (transaction) => {
        const removed = await transaction.change((db) => db.delete(apiKeys).where(isKey(tables, key)))
        if (removed === 0) return removed
        await transaction.change((db) => db.delete(sessions).where(eq(sessions.apiKeyId, key.id)))
        await removeLimitsOf(transaction, tables, { kind: 'key', ids: [key.id] })
        return removed
      }),
  }
}

/** Keys of users and services in a database. */
export function createDrizzleApiKeys(queries: DrizzleQueries, tables: AuthTables): ApiKeyStore {
  const { apiKeys } = tables
  const { findAll, findPage } = createReads(queries, tables)
  return {
    ...createChanges(queries, tables),
    create: (key, { maxKeys }) =>
      queries.transaction(async (transaction) => {
        const isThere = await holdOwner(transaction, tables, key.userId)
        const [row] = await transaction.rows((db) =>
          db
            .select({ total: count() })
            .from(apiKeys)
            .where(eq(apiKeys.userId, toOwnerColumn(key.userId))),
        )
        if (!isThere || Number(row?.total ?? 0) >= maxKeys) return false
        await insertKey(transaction, tables, key)
        return true
      }),
    async findByHash(hash) {
      const isHash = or(eq(apiKeys.hash, hash), eq(apiKeys.previousHash, hash))
      return (await findAll(isHash, { limit: 1, isCurrent: (current) => current === hash }))[0]
    },
    findById: async (id) => (await findAll(eq(apiKeys.id, id), { limit: 1 }))[0],
    listByUser: async (userId, page) => (await findPage(eq(apiKeys.userId, userId), page)).map(({ key }) => key),
    list: (filter) => findPage(toCondition(tables, filter), filter),
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
