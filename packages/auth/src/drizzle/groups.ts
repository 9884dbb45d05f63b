import { and, asc, count, countDistinct, eq, gt, inArray } from 'drizzle-orm'
import type { Group, GroupStore, Membership, MembershipOrigin, StoredGroup } from '../ports/groups.ts'
import type { ModelAllowList } from '../ports/users.ts'
import { readByIds } from './batches.ts'
import { raiseRights } from './facts.ts'
import type { DrizzleQueries, Queries } from './queries.ts'
import type { AuthTables } from './tables.ts'

type GroupRow = AuthTables['groups']['$inferSelect']

function toGroup({ id, name, note, isDefault, features, allowedModels, createdAt }: GroupRow): Group {
  return {
    ...{ id, name, note, createdAt },
    isDefault: isDefault === 1,
    features: JSON.parse(features) as Readonly<Record<string, boolean>>,
    allowedModels: JSON.parse(allowedModels) as ModelAllowList,
  }
}

function toRow(group: StoredGroup): GroupRow {
  return {
    ...group,
    isDefault: Number(group.isDefault),
    features: JSON.stringify(group.features),
    allowedModels: JSON.stringify(group.allowedModels),
  }
}

const toMembership = ({ groupId, userId, origin }: AuthTables['groupMembers']['$inferSelect']): Membership => ({
  groupId,
  userId,
  origin: origin as MembershipOrigin,
})

/** Whether another group has a name. */
async function isTaken(queries: Queries, { groups }: AuthTables, { id, nameKey }: StoredGroup): Promise<boolean> {
  const rows = await queries.rows((db) => db.select({ id: groups.id }).from(groups).where(eq(groups.nameKey, nameKey)))
  return rows.some((row) => row.id !== id)
}

/** Lets a new account join the groups for new accounts. */
export async function joinDefaultGroups(queries: Queries, tables: AuthTables, userId: string): Promise<void> {
  const { groups, groupMembers } = tables
  const rows = await queries.rows((db) => db.select({ id: groups.id }).from(groups).where(eq(groups.isDefault, 1)))
  if (rows.length === 0) return
  const members = rows.map(({ id }) => ({ groupId: id, userId, origin: 'manual' }))
  await queries.change((db) => db.insert(groupMembers).values(members))
}

/** The rows of one id; the row itself is held until the transaction ends. */
async function hold(queries: Queries, { groups, users }: AuthTables, { groupId, userId }: Omit<Membership, 'origin'>) {
  const held = await queries.change((db) => db.update(users).set({ id: userId }).where(eq(users.id, userId)))
  if (held === 0) return false
  return (await queries.change((db) => db.update(groups).set({ id: groupId }).where(eq(groups.id, groupId)))) > 0
}

async function assign(
  queries: Queries,
  tables: AuthTables,
  { userId, groupIds, origin }: Parameters<GroupStore['assign']>[0],
): Promise<boolean> {
  const { groupMembers } = tables
  const isOwn = and(eq(groupMembers.userId, userId), eq(groupMembers.origin, origin))
  const before = await queries.rows((db) => db.select().from(groupMembers).where(isOwn))
  const known = new Set(before.map(({ groupId }) => groupId))
  const gone = [...known].filter((id) => !groupIds.includes(id))
  let isChanged = gone.length > 0
  for (const groupId of gone) {
    await queries.change((db) => db.delete(groupMembers).where(and(isOwn, eq(groupMembers.groupId, groupId))))
  }
  for (const groupId of new Set(groupIds)) {
    if (known.has(groupId) || !(await hold(queries, tables, { groupId, userId }))) continue
    await queries.change((db) => db.insert(groupMembers).values({ groupId, userId, origin }))
    isChanged = true
  }
  return isChanged
}

/** What groups have for members. */
function createReads(
  queries: DrizzleQueries,
  { groups, groupMembers }: AuthTables,
): Pick<GroupStore, 'list' | 'listByUser' | 'listMemberships' | 'countMembers' | 'listMembers'> {
  return {
    async list() {
      const rows = await queries.rows((db) => db.select().from(groups).orderBy(asc(groups.createdAt), asc(groups.id)))
      return rows.map(toGroup)
    },
    async listByUser(userId) {
      const rows = await queries.rows((db) =>
        db
          .select()
          .from(groups)
          .where(
            inArray(
              groups.id,
              db.select({ id: groupMembers.groupId }).from(groupMembers).where(eq(groupMembers.userId, userId)),
            ),
          )
          .orderBy(asc(groups.createdAt), asc(groups.id)),
      )
      return rows.map(toGroup)
    },
    async listMemberships(userIds) {
      const rows = await readByIds(userIds, (some) =>
        queries.rows((db) =>
          db
            .select()
            .from(groupMembers)
            .where(inArray(groupMembers.userId, [...some])),
        ),
      )
      return rows.map(toMembership)
    },
    async countMembers() {
      const rows = await queries.rows((db) =>
        db
          .select({ id: groupMembers.groupId, members: countDistinct(groupMembers.userId) })
          .from(groupMembers)
          .groupBy(groupMembers.groupId),
      )
      return new Map(rows.map(({ id, members }) => [id, Number(members)]))
    },
    async listMembers(groupId, { after, limit }) {
      const isLater = after === undefined ? undefined : gt(groupMembers.userId, after)
      const rows = await queries.rows((db) =>
        db
          .select({ userId: groupMembers.userId })
          .from(groupMembers)
          .where(and(eq(groupMembers.groupId, groupId), isLater))
          .groupBy(groupMembers.userId)
          .orderBy(asc(groupMembers.userId))
          .limit(limit),
      )
      return rows.map(({ userId }) => userId)
    },
  }
}

/** Groups in a database. */
export function createDrizzleGroups(queries: DrizzleQueries, tables: AuthTables): GroupStore {
  const { groups, groupMembers } = tables
  return {
    ...createReads(queries, tables),
    create: (group, { most }) =>
      queries.transaction(async (transaction) => {
        // Whoever raises the number first looks first.
        await raiseRights(transaction, tables)
        if (await isTaken(transaction, tables, group)) return 'taken'
        const [found] = await transaction.rows((db) => db.select({ number: count() }).from(groups))
        if (Number(found?.number ?? 0) >= most) return 'full'
        await transaction.change((db) => db.insert(groups).values(toRow(group)))
        return 'created'
      }),
    change: (group) =>
      queries.transaction(async (transaction) => {
        await raiseRights(transaction, tables)
        if (await isTaken(transaction, tables, group)) return 'taken'
        const { id, ...fields } = toRow(group)
        const changed = await transaction.change((db) => db.update(groups).set(fields).where(eq(groups.id, id)))
        return changed === 0 ? 'missing' : 'changed'
      }),
    remove: (id) =>
      queries.transaction(async (transaction) => {
        if ((await transaction.change((db) => db.delete(groups).where(eq(groups.id, id)))) === 0) return false
        await transaction.change((db) => db.delete(groupMembers).where(eq(groupMembers.groupId, id)))
        await raiseRights(transaction, tables)
        return true
      }),
    add: (membership) =>
      queries.transaction(async (transaction) => {
        if (!(await hold(transaction, tables, membership))) return 'missing'
        const added = await transaction.change((db) => db.insert(groupMembers).values(membership).onConflictDoNothing())
        if (added === 0) return 'present'
        await raiseRights(transaction, tables)
        return 'added'
      }),
    removeMember: ({ groupId, userId }) =>
      queries.transaction(async (transaction) => {
        const removed = await transaction.change((db) =>
          db.delete(groupMembers).where(and(eq(groupMembers.groupId, groupId), eq(groupMembers.userId, userId))),
        )
        if (removed > 0) await raiseRights(transaction, tables)
        return removed > 0
      }),
    assign: (assigned) =>
      queries.transaction(async (transaction) => {
        const isChanged = await assign(transaction, tables, assigned)
        if (isChanged) await raiseRights(transaction, tables)
        return isChanged
      }),
  }
}
