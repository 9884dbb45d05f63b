import type { CallOptions } from './clock.ts'
import type { ModelAllowList, Page } from './users.ts'

/** A group of accounts, with rights for its members. */
export interface Group {
  readonly id: string
  readonly name: string
  readonly note: string
  /** Whether every new account joins it. */
  readonly isDefault: boolean
  /** Feature switches; the others say nothing. */
  readonly features: Readonly<Record<string, boolean>>
  /** `enabled: false` says nothing about models. */
  readonly allowedModels: ModelAllowList
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** A group as it is kept. */
export interface StoredGroup extends Group {
  /** The form of the name that is unique. */
  readonly nameKey: string
}

/** Who made a membership: an admin, a sign-in at the identity provider, or its directory. */
export const MEMBERSHIP_ORIGINS = ['manual', 'provider', 'scim'] as const
export type MembershipOrigin = (typeof MEMBERSHIP_ORIGINS)[number]

/** An account in a group. */
export interface Membership {
  readonly groupId: string
  readonly userId: string
  readonly origin: MembershipOrigin
}

/** Groups and who is in them. Methods that change either raise the revision of rights. */
export interface GroupStore {
  /** All groups, oldest first. */
  list(options: CallOptions): Promise<readonly Group[]>
  /** Creates a group, unless its name is taken or there are `most` groups already. */
  create(group: StoredGroup, options: CallOptions & { readonly most: number }): Promise<'created' | 'taken' | 'full'>
  change(group: StoredGroup, options: CallOptions): Promise<'changed' | 'missing' | 'taken'>
  /** Removes a group with its memberships. @returns whether there was one */
  remove(id: string, options: CallOptions): Promise<boolean>
  /** The groups of an account, oldest first, each once. */
  listByUser(userId: string, options: CallOptions): Promise<readonly Group[]>
  /** The memberships of some accounts. */
  listMemberships(userIds: readonly string[], options: CallOptions): Promise<readonly Membership[]>
  /** The numbers of members, by group; groups without members are absent. */
  countMembers(options: CallOptions): Promise<ReadonlyMap<string, number>>
  /** A page of the accounts in a group, by id, each once. */
  listMembers(groupId: string, page: Page, options: CallOptions): Promise<readonly string[]>
  /** Adds a membership. @returns `present` when it was there already, `missing` without such a group or account */
  add(membership: Membership, options: CallOptions): Promise<'added' | 'present' | 'missing'>
  /** Removes the memberships of an account in a group, of every origin. @returns whether there was one */
  removeMember(member: { readonly groupId: string; readonly userId: string }, options: CallOptions): Promise<boolean>
  /** Makes the memberships of an account and origin exactly those. @returns whether something has changed */
  assign(
    assigned: { readonly userId: string; readonly groupIds: readonly string[]; readonly origin: MembershipOrigin },
    options: CallOptions,
  ): Promise<boolean>
}
