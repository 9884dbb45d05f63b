import type { ApiKey, NewInvite, Session } from '../ports/credentials.ts'
import type { Membership, StoredGroup } from '../ports/groups.ts'
import type { Limit } from '../ports/limits.ts'
import type { QuotaCounter, QuotaRule, UsageRecord } from '../ports/usage.ts'
import type { User } from '../ports/users.ts'
import type { Reservation } from '../quotas/apply-work.ts'
import type { LabelSum } from '../usage/labels.ts'
import type { UsageSum } from '../usage/sums.ts'

/** A session with the hashes of its values. */
export interface StoredSession extends Session {
  readonly hash: string
  readonly previousHash: string | undefined
  readonly previousUntil: number
}

/** A key with the hashes of its values. */
export interface StoredKey extends ApiKey {
  readonly hash: string
  readonly previousHash: string | undefined
}

/** An invite with its use. */
export interface StoredInvite extends NewInvite {
  readonly usedBy: string | undefined
  readonly usedAt: number | undefined
}

/** Everything that the stores in memory keep. Its service bounds each of them. */
export interface MemoryState {
  revision: number
  readonly users: Map<string, User & { readonly passwordHash: string | undefined }>
  readonly sessions: Map<string, StoredSession>
  readonly apiKeys: Map<string, StoredKey>
  readonly invites: Map<string, StoredInvite>
  readonly signIns: Map<string, number>
  /** Ends of life by hash. */
  readonly usedTokens: Map<string, number>
  /** By hash, the one used longest ago first. */
  readonly knownAddresses: Map<string, { readonly userId: string; readonly usedAt: number }>
  records: UsageRecord[]
  readonly recordIds: Set<string>
  /** Records before this time may have been removed. */
  prunedBefore: number
  readonly sums: Map<string, UsageSum>
  readonly labelSums: Map<string, LabelSum>
  /** Values that a day keeps, by day and label. */
  readonly labels: Map<string, { readonly day: number; readonly values: Set<string> }>
  readonly rules: Map<string, QuotaRule>
  readonly groups: Map<string, StoredGroup>
  /** By group, account and origin. */
  readonly memberships: Map<string, Membership>
  readonly limits: Map<string, Limit>
  readonly counters: Map<string, QuotaCounter>
  /** By request. */
  readonly reservations: Map<string, readonly Reservation[]>
}

/** Creates an empty state. */
export function createMemoryState(): MemoryState {
  return {
    revision: 0,
    users: new Map(),
    sessions: new Map(),
    apiKeys: new Map(),
    invites: new Map(),
    signIns: new Map(),
    usedTokens: new Map(),
    knownAddresses: new Map(),
    records: [],
    recordIds: new Set(),
    prunedBefore: 0,
    sums: new Map(),
    labelSums: new Map(),
    labels: new Map(),
    rules: new Map(),
    groups: new Map(),
    memberships: new Map(),
    limits: new Map(),
    counters: new Map(),
    reservations: new Map(),
  }
}

/** A page of a list that is in order. */
export function takePage<T extends { readonly id: string }>(
  entries: readonly T[],
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
): readonly T[] {
  const start = after === undefined ? 0 : entries.findIndex(({ id }) => id === after) + 1
  if (after !== undefined && start === 0) return []
  return entries.slice(start, start + limit)
}

/** Orders entries by age, then by id. */
export function byAge(
  left: { readonly createdAt: number; readonly id: string },
  right: { readonly createdAt: number; readonly id: string },
): number {
  return left.createdAt - right.createdAt || (left.id < right.id ? -1 : 1)
}

/** Removes the entries of a map that a test picks. @returns how many */
export function removeWhere<T>(map: Map<string, T>, isPicked: (entry: T) => boolean): number {
  const picked = [...map].filter(([, entry]) => isPicked(entry))
  for (const [key] of picked) map.delete(key)
  return picked.length
}

/** Removes the entries of a map that have expired. @returns how many */
export function removeExpired(
  map: Map<string, { readonly expiresAt: number | undefined }>,
  { now, limit }: { readonly now: number; readonly limit: number },
): number {
  const expired = [...map].filter(([, { expiresAt }]) => expiresAt !== undefined && expiresAt <= now).slice(0, limit)
  for (const [key] of expired) map.delete(key)
  return expired.length
}

/** The account of an id, without the hash of its password. */
export function findOwner(state: MemoryState, id: string | undefined): User | undefined {
  const found = id === undefined ? undefined : state.users.get(id)
  if (found === undefined) return undefined
  const { passwordHash: _, ...user } = found
  return user
}
