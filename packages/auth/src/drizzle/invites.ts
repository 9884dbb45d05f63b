import { and, count, desc, eq, gt, inArray, isNotNull, isNull, lt, lte, or } from 'drizzle-orm'
import type { Invite, InviteStore, SignInStore, UsedTokenStore } from '../ports/credentials.ts'
import { raiseFact } from './facts.ts'
import type { DrizzleQueries, Queries } from './queries.ts'
import type { AuthTables } from './tables.ts'

type InviteRow = AuthTables['invites']['$inferSelect']

/** The names of the accounts that rows mention. */
async function readNames(queries: Queries, { users }: AuthTables, rows: readonly InviteRow[]) {
  const ids = [...new Set(rows.flatMap(({ createdBy, usedBy }) => [createdBy, usedBy]))].filter((id) => id !== null)
  if (ids.length === 0) return new Map<string, string>()
  const found = await queries.rows((db) =>
    db.select({ id: users.id, name: users.name }).from(users).where(inArray(users.id, ids)),
  )
  return new Map(found.map(({ id, name }) => [id, name]))
}

function toInvite(row: InviteRow, names: ReadonlyMap<string, string>): Invite {
  const toPerson = (id: string | null): Invite['createdBy'] => {
    const name = id === null ? undefined : names.get(id)
    return id === null || name === undefined ? undefined : { id, name }
  }
  const { id, prefix, note, createdAt, expiresAt } = row
  return {
    id,
    prefix,
    note,
    createdAt,
    expiresAt,
    createdBy: toPerson(row.createdBy),
    usedBy: toPerson(row.usedBy),
    usedAt: row.usedAt ?? undefined,
  }
}

/** Invites in a database. */
export function createDrizzleInvites(queries: DrizzleQueries, tables: AuthTables): InviteStore {
  const { invites } = tables
  return {
    async create(invite) {
      const createdBy = invite.createdBy ?? null
      await queries.change((db) => db.insert(invites).values({ ...invite, createdBy, usedBy: null, usedAt: null }))
    },
    async list({ after, limit }) {
      const [last] =
        after === undefined ? [] : await queries.rows((db) => db.select().from(invites).where(eq(invites.id, after)))
      if (after !== undefined && last === undefined) return []
      const isEarlier =
        last === undefined
          ? undefined
          : or(
              lt(invites.createdAt, last.createdAt),
              and(eq(invites.createdAt, last.createdAt), lt(invites.id, last.id)),
            )
      const rows = await queries.rows((db) =>
        db.select().from(invites).where(isEarlier).orderBy(desc(invites.createdAt), desc(invites.id)).limit(limit),
      )
      const names = await readNames(queries, tables, rows)
      return rows.map((row) => toInvite(row, names))
    },
    async isValid({ hash, now }) {
      const rows = await queries.rows((db) =>
        db
          .select({ id: invites.id })
          .from(invites)
          .where(and(eq(invites.hash, hash), isNull(invites.usedAt), gt(invites.expiresAt, now))),
      )
      return rows.length > 0
    },
    async revoke(id) {
      const removed = await queries.change((db) =>
        db.delete(invites).where(and(eq(invites.id, id), isNull(invites.usedAt))),
      )
      if (removed > 0) return 'revoked'
      const used = await queries.rows((db) =>
        db
          .select({ id: invites.id })
          .from(invites)
          .where(and(eq(invites.id, id), isNotNull(invites.usedAt))),
      )
      return used.length > 0 ? 'used' : 'missing'
    },
  }
}

/** Sign-ins under way, in a database. */
export function createDrizzleSignIns(queries: DrizzleQueries, tables: AuthTables): SignInStore {
  const { signIns } = tables
  return {
    begin: ({ hash, now, expiresAt }, { maxRunning }) =>
      queries.transaction(async (transaction) => {
        await raiseFact(transaction, tables, 'accounts')
        await transaction.change((db) => db.delete(signIns).where(lte(signIns.expiresAt, now)))
        const [row] = await transaction.rows((db) => db.select({ total: count() }).from(signIns))
        if (Number(row?.total ?? 0) >= maxRunning) return false
        await transaction.change((db) => db.insert(signIns).values({ hash, expiresAt }))
        return true
      }),
    async consume({ hash, now }) {
      const removed = await queries.transaction((transaction) =>
        transaction.rows((db) =>
          db.delete(signIns).where(eq(signIns.hash, hash)).returning({ expiresAt: signIns.expiresAt }),
        ),
      )
      return removed.some(({ expiresAt }) => expiresAt > now)
    },
  }
}

/** Tokens that were used, in a database. */
export function createDrizzleUsedTokens(queries: DrizzleQueries, { usedTokens }: AuthTables): UsedTokenStore {
  return {
    async isUsed({ hash, now }) {
      const rows = await queries.rows((db) =>
        db
          .select({ hash: usedTokens.hash })
          .from(usedTokens)
          .where(and(eq(usedTokens.hash, hash), gt(usedTokens.expiresAt, now))),
      )
      return rows.length > 0
    },
    use: ({ hash, now, expiresAt }) =>
      queries.transaction(async (transaction) => {
        await transaction.change((db) => db.delete(usedTokens).where(lte(usedTokens.expiresAt, now)))
        await transaction.change((db) => db.insert(usedTokens).values({ hash, expiresAt }).onConflictDoNothing())
      }),
  }
}
