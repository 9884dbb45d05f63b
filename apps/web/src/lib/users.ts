import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, unwrap } from './api-client.ts'
import { useSession } from './session.ts'

const fetchUsers = async (signal?: AbortSignal) =>
  (await unwrap(api.GET('/api/auth/admin/users', signal === undefined ? {} : { signal }))).users

/** An account, as admins see it. */
export type User = Awaited<ReturnType<typeof fetchUsers>>[number]

/** All accounts, oldest first. */
export const usersQuery = queryOptions({
  queryKey: ['users'],
  queryFn: ({ signal }) => fetchUsers(signal),
})

/** Whether an account waits for an admin. */
export function isPending({ status }: { readonly status: string }): boolean {
  return status === 'pending'
}

/** Labels of accounts and the way back, for lists that hold ids. */
export interface UserLabels {
  /** The name of an account; the address where it has no name or another account has that text. An unknown id is its own label. */
  readonly labelOf: (id: string) => string
  /** The id with a label; a text that is not a label counts as an id. */
  readonly idOf: (label: string) => string
}

/** The labels of all accounts for admins; other viewers get no labels. */
export function useUserLabels(): UserLabels {
  const { viewer, hasAccounts } = useSession()
  const { data } = useQuery({ ...usersQuery, enabled: viewer.isAdmin && hasAccounts, select: labelUsers })
  return data ?? NO_LABELS
}

/** Labels that are different for all accounts. */
export function labelUsers(users: readonly Pick<User, 'id' | 'name' | 'email'>[]): UserLabels {
  const counts = new Map<string, number>()
  for (const { name, email } of users) {
    for (const text of new Set([name, email])) counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  const labels = new Map(users.map(({ id, name, email }) => [id, name && counts.get(name) === 1 ? name : email || id]))
  const ids = new Map([...labels].map(([id, label]) => [label, id]))
  return { labelOf: (id) => labels.get(id) ?? id, idOf: (label) => ids.get(label) ?? label }
}

const NO_LABELS = labelUsers([])
