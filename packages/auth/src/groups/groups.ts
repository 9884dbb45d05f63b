import { AuthError, missing } from '../errors.ts'
import { toNameKey } from '../look-alikes.ts'
import type { CallOptions, Clock } from '../ports/clock.ts'
import type { Group, GroupStore, MembershipOrigin } from '../ports/groups.ts'
import type { Page, User, UserStore } from '../ports/users.ts'
import type { Revocations } from '../revocations.ts'
import { createId } from '../token-hasher.ts'
import { type GroupDraft, readGroupDraft } from './draft.ts'
import { createGroupImport, type GroupImport } from './import.ts'
import type { GroupStatus } from './status.ts'

/** An account in a group. */
export interface GroupMember {
  readonly user: User
  /** Who made the memberships. */
  readonly origins: readonly MembershipOrigin[]
}

/** Groups of accounts, their rights and members. A change is published as a revocation once it is stored. */
export interface Groups extends GroupImport {
  /** Oldest first. */
  list(options: CallOptions): Promise<readonly GroupStatus[]>
  /** @throws {AuthError} `not_found` */
  read(id: string, options: CallOptions): Promise<GroupStatus>
  /** @throws {AuthError} `invalid_request`; `conflict` for a name that is taken and when there are 1,000 groups */
  create(draft: GroupDraft, options: CallOptions): Promise<GroupStatus>
  /** @throws as {@link create}; `not_found` */
  change(id: string, draft: GroupDraft, options: CallOptions): Promise<GroupStatus>
  /** Removes a group; its members lose the rights that it gave. @throws {AuthError} `not_found` */
  remove(id: string, options: CallOptions): Promise<Group>
  /** A page of the members, by id. @throws {AuthError} `not_found` */
  listMembers(id: string, page: Page, options: CallOptions): Promise<readonly GroupMember[]>
  /** @returns whether the account was not in it by hand before @throws {AuthError} `not_found` */
  addMember(id: string, userId: string, options: CallOptions): Promise<boolean>
  /** Removes an account from a group, whoever put it there. @throws {AuthError} `not_found` */
  removeMember(id: string, userId: string, options: CallOptions): Promise<void>
  /** The groups of an account. */
  listByUser(userId: string, options: CallOptions): Promise<readonly Group[]>
  /** The groups of some accounts, by account; accounts without groups are absent. */
  listByUsers(userIds: readonly string[], options: CallOptions): Promise<ReadonlyMap<string, readonly Group[]>>
  /**
   * Makes the memberships of an account that came from the identity provider, or its directory, exactly those of the
   * names. Others stay. Unknown names make no groups.
   *
   * @returns the unknown names
   */
  assign(
    assigned: {
      readonly userId: string
      readonly names: readonly string[]
      readonly origin: Exclude<MembershipOrigin, 'manual'>
    },
    options: CallOptions,
  ): Promise<{ readonly unknown: readonly string[]; readonly isChanged: boolean }>
}

/** Dependencies of {@link createGroups}. */
export interface GroupsOptions {
  readonly store: GroupStore
  readonly users: Pick<UserStore, 'findById' | 'list'>
  readonly clock: Pick<Clock, 'now'>
  readonly revocations: Revocations
  /** @default there is a model of every name */
  readonly hasModel?: ((name: string) => boolean) | undefined
}

const MAX_GROUPS = 1000

const groupMissing = (): AuthError => missing('group not found')

const nameTaken = (name: string): AuthError =>
  new AuthError('conflict', `there is a group ${JSON.stringify(name)} already, or one whose name looks like it`, {
    code: 'name_taken',
  })

/** Creates the groups over their store. */
export function createGroups(options: GroupsOptions): Groups {
  const { store, users, clock, revocations, hasModel } = options
  const revoke = (userId: string): void => revocations.publish({ kind: 'user', userId })

  async function find(id: string, call: CallOptions): Promise<Group> {
    const group = (await store.list(call)).find((each) => each.id === id)
    if (group === undefined) throw groupMissing()
    return group
  }

  async function create(draft: GroupDraft, call: CallOptions): Promise<GroupStatus> {
    const group: Group = { id: createId(), ...readGroupDraft(draft, undefined, hasModel), createdAt: clock.now() }
    const outcome = await store.create({ ...group, nameKey: toNameKey(group.name) }, { ...call, most: MAX_GROUPS })
    if (outcome === 'taken') throw nameTaken(group.name)
    if (outcome === 'full') {
      throw new AuthError('conflict', `there are ${MAX_GROUPS} groups already`, { code: 'too_many_groups' })
    }
    return { ...group, members: 0 }
  }

  async function addMember(groupId: string, userId: string, call: CallOptions): Promise<boolean> {
    const outcome = await store.add({ groupId, userId, origin: 'manual' }, call)
    if (outcome === 'missing') {
      await find(groupId, call)
      throw missing('user not found')
    }
    if (outcome === 'added') revoke(userId)
    return outcome === 'added'
  }

  async function listByUsers(userIds: readonly string[], call: CallOptions) {
    const memberships = await store.listMemberships(userIds, call)
    if (memberships.length === 0) return new Map<string, readonly Group[]>()
    const groups = await store.list(call)
    const byUser = new Map<string, Set<string>>()
    for (const { userId, groupId } of memberships) {
      byUser.set(userId, (byUser.get(userId) ?? new Set()).add(groupId))
    }
    return new Map([...byUser].map(([userId, ids]) => [userId, groups.filter(({ id }) => ids.has(id))] as const))
  }

  return {
    create,
    addMember,
    listByUsers,
    async list(call) {
      const [groups, counts] = await Promise.all([store.list(call), store.countMembers(call)])
      return groups.map((group) => ({ ...group, members: counts.get(group.id) ?? 0 }))
    },
    async read(id, call) {
      return { ...(await find(id, call)), members: (await store.countMembers(call)).get(id) ?? 0 }
    },
    async change(id, draft, call) {
      const before = await find(id, call)
      const group: Group = { ...before, ...readGroupDraft(draft, before, hasModel) }
      const outcome = await store.change({ ...group, nameKey: toNameKey(group.name) }, call)
      if (outcome === 'taken') throw nameTaken(group.name)
      if (outcome === 'missing') throw groupMissing()
      revocations.publish({ kind: 'all' })
      return { ...group, members: (await store.countMembers(call)).get(id) ?? 0 }
    },
    async remove(id, call) {
      const group = await find(id, call)
      if (!(await store.remove(id, call))) throw groupMissing()
      revocations.publish({ kind: 'all' })
      return group
    },
    async listMembers(id, page, call) {
      await find(id, call)
      const ids = await store.listMembers(id, page, call)
      const memberships = await store.listMemberships(ids, call)
      const members = await Promise.all(ids.map((userId) => users.findById(userId, call)))
      return members
        .filter((user) => user !== undefined)
        .map((user) => ({
          user,
          origins: memberships
            .filter(({ userId, groupId }) => userId === user.id && groupId === id)
            .map(({ origin }) => origin),
        }))
    },
    async removeMember(id, userId, call) {
      if (!(await store.removeMember({ groupId: id, userId }, call))) throw missing('member not found')
      revoke(userId)
    },
    listByUser: (userId, call) => store.listByUser(userId, call),
    async assign({ userId, names, origin }, call) {
      const groups = new Map((await store.list(call)).map(({ id, name }) => [toNameKey(name), id]))
      const known = names.filter((name) => groups.has(toNameKey(name)))
      const groupIds = [...new Set(known.map((name) => groups.get(toNameKey(name)) ?? ''))]
      const isChanged = await store.assign({ userId, groupIds, origin }, call)
      if (isChanged) revoke(userId)
      return { unknown: names.filter((name) => !known.includes(name)), isChanged }
    },
    ...createGroupImport({ store, users, create, addMember }),
  }
}
