import { and, asc, eq, gt, inArray, isNull, max, or } from 'drizzle-orm'
import { decideAdmission } from '../accounts/admission.ts'
import type { ChangeOutcome, Page, Registration, RegistrationOutcome, User, UserStore } from '../ports/users.ts'
import { readByIds } from './batches.ts'
import { raiseFact, raiseRights } from './facts.ts'
import { joinDefaultGroups } from './groups.ts'
import { removeLimitsOf } from './limits.ts'
import type { DrizzleQueries, Queries } from './queries.ts'
import { publicColumns, toUser, toUserRow } from './rows.ts'
import type { AuthTables } from './tables.ts'

type UserChange = Partial<AuthTables['users']['$inferInsert']>

/** Whether there is an unused invite. */
async function hasInvite(queries: Queries, { invites }: AuthTables, { inviteHash, now }: Registration) {
  if (inviteHash === undefined) return false
  const rows = await queries.rows((db) =>
    db
      .select({ id: invites.id })
      .from(invites)
      .where(and(eq(invites.hash, inviteHash), isNull(invites.usedAt), gt(invites.expiresAt, now))),
  )
  return rows.length > 0
}

/** Uses an invite up. @returns false when it was revoked meanwhile */
async function consumeInvite(queries: Queries, { invites }: AuthTables, registration: Registration): Promise<boolean> {
  const { user, inviteHash = '', now } = registration
  const changed = await queries.change((db) =>
    db
      .update(invites)
      .set({ usedBy: user.id, usedAt: now })
      .where(and(eq(invites.hash, inviteHash), isNull(invites.usedAt), gt(invites.expiresAt, now))),
  )
  return changed === 1
}

async function admit(queries: Queries, tables: AuthTables, registration: Registration): Promise<RegistrationOutcome> {
  const { users } = tables
  const { user, mode, isAdmin, inviteHash, passwordHash } = registration
  await raiseFact(queries, tables, 'accounts')
  const taken = await queries.rows((db) =>
    db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.provider, user.provider), eq(users.subject, user.subject))),
  )
  if (taken.length > 0) return { kind: 'taken' }
  const isFirst = (await queries.rows((db) => db.select({ id: users.id }).from(users).limit(1))).length === 0
  const facts = { isFirst, isAdmin, mode, hasInvite: inviteHash !== undefined }
  let admission = decideAdmission({ ...facts, isInviteValid: await hasInvite(queries, tables, registration) })
  if (admission.kind === 'admitted' && admission.consumesInvite) {
    const isConsumed = await consumeInvite(queries, tables, registration)
    if (!isConsumed) admission = decideAdmission({ ...facts, isInviteValid: false })
  }
  if (admission.kind !== 'admitted') return admission
  const created: User = { ...user, ...admission.user }
  await queries.change((db) => db.insert(users).values({ ...toUserRow(created), passwordHash: passwordHash ?? null }))
  await joinDefaultGroups(queries, tables, created.id)
  return { kind: 'created', user: created, isFirst }
}

/** Whether an account is the only active admin. */
async function isLastAdmin(queries: Queries, { users }: AuthTables, id: string): Promise<boolean> {
  const admins = await queries.rows((db) =>
    db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.role, 'admin'), eq(users.status, 'active')))
      .limit(2),
  )
  return admins.length === 1 && admins[0]?.id === id
}

async function removeUser(queries: Queries, tables: AuthTables, id: string): Promise<ChangeOutcome> {
  const { users, sessions, apiKeys, invites, knownAddresses, groupMembers } = tables
  const { usageRecords, usageSums, usageLabelSums } = tables
  const { quotaRules, quotaCounters, quotaReservations } = tables
  await raiseFact(queries, tables, 'accounts')
  if (await isLastAdmin(queries, tables, id)) return 'last-admin'
  if ((await queries.change((db) => db.delete(users).where(eq(users.id, id)))) === 0) return 'missing'
  await queries.change((db) => db.delete(sessions).where(eq(sessions.userId, id)))
  const keys = await queries.rows((db) =>
    db.delete(apiKeys).where(eq(apiKeys.userId, id)).returning({ id: apiKeys.id }),
  )
  await removeLimitsOf(queries, tables, { kind: 'key', ids: keys.map((key) => key.id) })
  await removeLimitsOf(queries, tables, { kind: 'account', ids: [id] })
  await queries.change((db) => db.delete(knownAddresses).where(eq(knownAddresses.userId, id)))
  await queries.change((db) => db.delete(groupMembers).where(eq(groupMembers.userId, id)))
  await queries.change((db) => db.delete(invites).where(eq(invites.createdBy, id)))
  await queries.change((db) => db.update(invites).set({ usedBy: null }).where(eq(invites.usedBy, id)))
  const rules = await queries.rows((db) => db.select().from(quotaRules).where(eq(quotaRules.userId, id)))
  for (const rule of rules) {
    await queries.change((db) => db.delete(quotaCounters).where(eq(quotaCounters.ruleId, rule.id)))
    await queries.change((db) => db.delete(quotaReservations).where(eq(quotaReservations.ruleId, rule.id)))
  }
  await queries.change((db) => db.delete(quotaRules).where(eq(quotaRules.userId, id)))
  await queries.change((db) => db.delete(usageRecords).where(eq(usageRecords.userId, id)))
  await queries.change((db) => db.delete(usageSums).where(eq(usageSums.userId, id)))
  await queries.change((db) => db.delete(usageLabelSums).where(eq(usageLabelSums.userId, id)))
  await raiseRights(queries, tables)
  return 'changed'
}

async function listUsers(queries: Queries, tables: AuthTables, { after, limit }: Page): Promise<readonly User[]> {
  const { users } = tables
  const ordered = (from: ReturnType<typeof or>) =>
    queries.rows((db) =>
      db
        .select(publicColumns(tables))
        .from(users)
        .where(from)
        .orderBy(asc(users.createdAt), asc(users.id))
        .limit(limit),
    )
  if (after === undefined) return (await ordered(undefined)).map(toUser)
  const [last] = await queries.rows((db) => db.select(publicColumns(tables)).from(users).where(eq(users.id, after)))
  if (last === undefined) return []
  const isLater = or(
    gt(users.createdAt, last.createdAt),
    and(eq(users.createdAt, last.createdAt), gt(users.id, last.id)),
  )
  return (await ordered(isLater)).map(toUser)
}

async function readLastSeen(
  queries: DrizzleQueries,
  { sessions, apiKeys }: AuthTables,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await readByIds(ids, async (some) => [
    ...(await queries.rows((db) =>
      db
        .select({ id: sessions.userId, at: max(sessions.rotatedAt) })
        .from(sessions)
        .where(inArray(sessions.userId, [...some]))
        .groupBy(sessions.userId),
    )),
    ...(await queries.rows((db) =>
      db
        .select({ id: apiKeys.userId, at: max(apiKeys.lastUsedAt) })
        .from(apiKeys)
        .where(inArray(apiKeys.userId, [...some]))
        .groupBy(apiKeys.userId),
    )),
  ])
  const seen = new Map<string, number>()
  for (const { id, at } of rows) if (id !== null && at !== null) seen.set(id, Math.max(seen.get(id) ?? 0, Number(at)))
  return seen
}

/** Accounts in a database. */
export function createDrizzleUsers(queries: DrizzleQueries, tables: AuthTables): UserStore {
  const { users, sessions, knownAddresses } = tables
  const findOne = async (condition: ReturnType<typeof and>): Promise<User | undefined> => {
    const [row] = await queries.rows((db) => db.select(publicColumns(tables)).from(users).where(condition))
    return row === undefined ? undefined : toUser(row)
  }
  /** Changes an account; rights may be lost by it. */
  const change = (id: string, fields: UserChange): Promise<boolean> =>
    queries.transaction(async (transaction) => {
      const count = await transaction.change((db) => db.update(users).set(fields).where(eq(users.id, id)))
      if (count > 0) await raiseRights(transaction, tables)
      return count > 0
    })
  const changeGuarded = (id: string, isLoss: boolean, fields: UserChange): Promise<ChangeOutcome> =>
    queries.transaction(async (transaction) => {
      await raiseFact(transaction, tables, 'accounts')
      if (isLoss && (await isLastAdmin(transaction, tables, id))) return 'last-admin'
      const count = await transaction.change((db) => db.update(users).set(fields).where(eq(users.id, id)))
      if (count === 0) return 'missing'
      await raiseRights(transaction, tables)
      return 'changed'
    })
  return {
    register: (registration) => queries.transaction((transaction) => admit(transaction, tables, registration)),
    findById: (id) => findOne(eq(users.id, id)),
    async findLocal(email) {
      const [row] = await queries.rows((db) =>
        db
          .select()
          .from(users)
          .where(and(eq(users.provider, 'local'), eq(users.subject, email))),
      )
      if (row === undefined || row.passwordHash === null) return undefined
      const { passwordHash, ...user } = row
      return { user: toUser(user), passwordHash }
    },
    findBySubject: ({ provider, subject }) => findOne(and(eq(users.provider, provider), eq(users.subject, subject))),
    list: (page) => listUsers(queries, tables, page),
    readLastSeen: (ids) => readLastSeen(queries, tables, ids),
    hasUsers: async () => (await queries.rows((db) => db.select({ id: users.id }).from(users).limit(1))).length > 0,
    setProfile: (id, { name, avatarUrl, emailVerified, now }) =>
      change(id, {
        ...(name === undefined ? {} : { name }),
        ...(avatarUrl === undefined ? {} : { avatarUrl }),
        ...(emailVerified === undefined ? {} : { emailVerified: emailVerified ? 1 : 0 }),
        updatedAt: now,
      }),
    setRole: (id, { role, now }) => changeGuarded(id, role === 'user', { role, updatedAt: now }),
    setStatus: (id, { status, now }) =>
      changeGuarded(id, status === 'disabled', {
        status,
        ...(status === 'active' ? { approved: 1 } : {}),
        updatedAt: now,
      }),
    setFeatures: (id, { features, now }) => change(id, { features: JSON.stringify(features), updatedAt: now }),
    setAllowedModels: (id, { allowedModels, now }) =>
      change(id, { allowedModels: JSON.stringify(allowedModels), updatedAt: now }),
    setPassword: (id, { passwordHash, from, now }) =>
      queries.transaction(async (transaction) => {
        const count = await transaction.change((db) =>
          db
            .update(users)
            .set({ passwordHash, updatedAt: now })
            .where(
              and(
                ...[eq(users.id, id), eq(users.provider, 'local')],
                from === undefined ? undefined : eq(users.passwordHash, from),
              ),
            ),
        )
        if (count === 0) return false
        await transaction.change((db) => db.delete(sessions).where(eq(sessions.userId, id)))
        await transaction.change((db) => db.delete(knownAddresses).where(eq(knownAddresses.userId, id)))
        await raiseRights(transaction, tables)
        return true
      }),
    async replacePasswordHash(id, { from, to }) {
      const count = await queries.change((db) =>
        db
          .update(users)
          .set({ passwordHash: to })
          .where(and(eq(users.id, id), eq(users.passwordHash, from))),
      )
      return count > 0
    },
    remove: (id) => queries.transaction((transaction) => removeUser(transaction, tables, id)),
  }
}
