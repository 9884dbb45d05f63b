import { compareNames } from '../../lib/format.ts'
import { createMatcher } from '../../lib/match-words.ts'
import { isPending, type User } from '../../lib/users.ts'
import { readOrder, type UsersSearch } from './search.ts'

/** Sorts accounts that were never seen before all others. */
const NEVER = '1970-01-01T00:00:00Z'

/** The accounts that pass the filters, in order. Pending accounts are left out: they have a group of their own. */
export function selectUsers(users: readonly User[], search: UsersSearch): readonly User[] {
  const matches = createMatcher(search.q ?? '')
  const { by, descending } = readOrder(search)
  const compare = (left: User, right: User): number => {
    switch (by) {
      case 'name':
        return compareNames(left.name || left.email, right.name || right.email)
      case 'role':
        return left.role.localeCompare(right.role)
      case 'created':
        return Date.parse(left.createdAt) - Date.parse(right.createdAt)
      case 'seen':
        return Date.parse(left.lastSeen ?? NEVER) - Date.parse(right.lastSeen ?? NEVER)
    }
  }
  return users
    .filter(
      (user) =>
        !isPending(user) &&
        (search.role === undefined || user.role === search.role) &&
        (search.status === undefined || user.status === search.status) &&
        matches(`${user.name} ${user.email}`),
    )
    .sort((left, right) => (descending ? -compare(left, right) : compare(left, right)))
}

/** The quota that is used most, with its share of 0 to 1 and above; undefined without a quota. */
export function findFullest(
  quotas: User['quotas'],
): { readonly quota: User['quotas'][number]; readonly share: number } | undefined {
  const toShare = (used: number, limit: number | null) => (limit === null ? 0 : limit === 0 ? 1 : used / limit)
  return quotas
    .map((quota) => ({
      quota,
      share: Math.max(
        toShare(quota.current_requests, quota.max_requests),
        toShare(quota.current_total_tokens, quota.max_total_tokens),
      ),
    }))
    .sort((left, right) => right.share - left.share)[0]
}

/** The switches that differ from their defaults. The server keeps only these, so that new defaults reach the others. */
export function findExplicit(
  permissions: Readonly<Record<string, boolean>>,
  features: readonly { readonly key: string; readonly default: boolean }[],
): Readonly<Record<string, boolean>> {
  return Object.fromEntries(
    features.flatMap(({ key, default: fallback }) => {
      const isOn = permissions[key] ?? fallback
      return isOn === fallback ? [] : [[key, isOn]]
    }),
  )
}
