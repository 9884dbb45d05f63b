import type { Group, GroupStore, Membership, StoredGroup } from '../ports/groups.ts'
import { byAge, type MemoryState, removeWhere } from './state.ts'

const toKey = ({ groupId, userId, origin }: Membership): string => `${groupId} ${userId} ${origin}`

function toGroup({ nameKey: _, ...group }: StoredGroup): Group {
  return group
}

/** Lets a new account join the groups for new accounts. */
export function joinDefaultGroups({ groups, memberships }: MemoryState, userId: string): void {
  for (const { id: groupId, isDefault } of groups.values()) {
    const membership: Membership = { groupId, userId, origin: 'manual' }
    if (isDefault) memberships.set(toKey(membership), membership)
  }
}

/** Groups in memory. */
export function createMemoryGroups(state: MemoryState): GroupStore {
  const { groups, memberships } = state
  const isTaken = ({ id, nameKey }: StoredGroup): boolean =>
    [...groups.values()].some((group) => group.nameKey === nameKey && group.id !== id)
  const sorted = (): readonly Group[] => [...groups.values()].sort(byAge).map(toGroup)
  const isThere = ({ groupId, userId }: Membership): boolean => groups.has(groupId) && state.users.has(userId)
  const raise = (isChanged: boolean): boolean => {
    if (isChanged) state.revision += 1
    return isChanged
  }
  return {
    list: async () => sorted(),
    async create(group, { most }) {
      if (isTaken(group)) return 'taken'
      if (groups.size >= most) return 'full'
      groups.set(group.id, group)
      raise(true)
      return 'created'
    },
    async change(group) {
      if (isTaken(group)) return 'taken'
      if (!groups.has(group.id)) return 'missing'
      groups.set(group.id, group)
      raise(true)
      return 'changed'
    },
    async remove(id) {
      removeWhere(memberships, ({ groupId }) => groupId === id)
      return raise(groups.delete(id))
    },
    async listByUser(id) {
      const own = new Set([...memberships.values()].filter(({ userId }) => userId === id).map(({ groupId }) => groupId))
      return own.size === 0 ? [] : sorted().filter((group) => own.has(group.id))
    },
    listMemberships: async (userIds) => [...memberships.values()].filter(({ userId }) => userIds.includes(userId)),
    async countMembers() {
      const members = new Map<string, Set<string>>()
      for (const { groupId, userId } of memberships.values())
        members.set(groupId, (members.get(groupId) ?? new Set()).add(userId))
      return new Map([...members].map(([id, { size }]) => [id, size]))
    },
    async listMembers(id, { after, limit }) {
      const own = [...memberships.values()].filter(({ groupId }) => groupId === id).map(({ userId }) => userId)
      return [...new Set(own)]
        .sort()
        .filter((userId) => after === undefined || userId > after)
        .slice(0, limit)
    },
    async add(membership) {
      if (!isThere(membership)) return 'missing'
      if (memberships.has(toKey(membership))) return 'present'
      memberships.set(toKey(membership), membership)
      raise(true)
      return 'added'
    },
    removeMember: async (member) =>
      raise(
        removeWhere(memberships, ({ groupId, userId }) => groupId === member.groupId && userId === member.userId) > 0,
      ),
    async assign({ userId, groupIds, origin }) {
      const removed = removeWhere(
        memberships,
        (one) => one.userId === userId && one.origin === origin && !groupIds.includes(one.groupId),
      )
      const added = groupIds
        .map((groupId): Membership => ({ groupId, userId, origin }))
        .filter((membership) => isThere(membership) && !memberships.has(toKey(membership)))
      for (const membership of added) memberships.set(toKey(membership), membership)
      return raise(removed > 0 || added.length > 0)
    },
  }
}
