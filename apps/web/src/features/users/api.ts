import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'
import { isPending, type User, usersQuery } from '../../lib/users.ts'

/** Number of accounts that wait for an admin. It shares the cache of the list. */
export function usePendingCount(): number {
  return useQuery(usersQuery).data?.filter(isPending).length ?? 0
}

/** Tokens that each account has used in the last 30 days, by its id. */
export const monthlyTokensQuery = queryOptions({
  queryKey: ['users', 'tokens'],
  async queryFn({ signal }): Promise<ReadonlyMap<string, number>> {
    const { usage } = await unwrap(api.GET('/api/auth/admin/usage', { params: { query: { period: 'month' } }, signal }))
    const tokens = new Map<string, number>()
    for (const { user_id, total_tokens } of usage) tokens.set(user_id, (tokens.get(user_id) ?? 0) + total_tokens)
    return tokens
  },
})

/** The features and models that can be granted. */
export const grantsQuery = queryOptions({
  queryKey: ['users', 'grants'],
  staleTime: 300_000,
  queryFn: ({ signal }) => unwrap(api.GET('/api/auth/admin/features', { signal })),
})

/** Changes the cached accounts. */
function useUserCache() {
  const cache = useQueryClient()
  const key = usersQuery.queryKey
  return {
    read: () => cache.getQueryData(key),
    restore: (users: readonly User[] | undefined) => users && cache.setQueryData(key, [...users]),
    patch: (id: string, change: Partial<User>) =>
      cache.setQueryData(key, (users) => users?.map((user) => (user.id === id ? { ...user, ...change } : user))),
    remove: (id: string) => cache.setQueryData(key, (users) => users?.filter((user) => user.id !== id)),
  }
}

const target = (id: string) => ({ params: { path: { id } } })

/** Changes a role. The list shows it at once, and the old one again when the server refuses. */
export function useSetRole(onRefused: (error: Error) => void) {
  const users = useUserCache()
  return useMutation({
    mutationFn: ({ id, role }: { readonly id: string; readonly role: 'admin' | 'user' }) =>
      unwrap(api.PUT('/api/auth/admin/users/{id}/role', { ...target(id), body: { role } })),
    onMutate({ id, role }) {
      const before = users.read()
      users.patch(id, { role })
      return before
    },
    onError(error, _, before) {
      users.restore(before)
      onRefused(error)
    },
  })
}

/** Approves, disables or enables an account; the list follows the reply. */
export function useSetStatus() {
  const users = useUserCache()
  return useMutation({
    mutationFn: ({ id, status }: { readonly id: string; readonly status: 'active' | 'disabled' }) =>
      unwrap(api.PUT('/api/auth/admin/users/{id}/status', { ...target(id), body: { status } })),
    onSuccess: (_, { id, status }) => users.patch(id, { status }),
  })
}

/** Deletes an account with everything that belongs to it. */
export function useDeleteUser() {
  const users = useUserCache()
  return useMutation({
    mutationFn: (id: string) => unwrap(api.DELETE('/api/auth/admin/users/{id}', target(id))),
    onSuccess: (_, id) => users.remove(id),
  })
}

export async function resetPassword(form: {
  readonly id: string
  readonly password: string
  readonly acceptsWeak: boolean
}): Promise<void> {
  await unwrap(
    api.PUT('/api/auth/admin/users/{id}/password', {
      ...target(form.id),
      body: { password: form.password, ...(form.acceptsWeak ? { acknowledge_weak_password: true } : {}) },
    }),
  )
}

/** The switches of an account as they work. They follow its role, so they are asked for anew each time. */
export const permissionsQuery = (id: string) =>
  queryOptions({
    queryKey: ['users', id, 'permissions'],
    staleTime: 0,
    gcTime: 0,
    queryFn: async ({ signal }) =>
      (await unwrap(api.GET('/api/auth/admin/users/{id}/permissions', { ...target(id), signal }))).permissions,
  })

/** Switches features. The switch moves at once and goes back when the server refuses. */
export function useSetPermissions(id: string, onRefused: (error: Error) => void) {
  const cache = useQueryClient()
  const key = permissionsQuery(id).queryKey
  return useMutation({
    mutationFn: ({ explicit }: PermissionChange) =>
      unwrap(api.PUT('/api/auth/admin/users/{id}/permissions', { ...target(id), body: { ...explicit } })),
    onMutate({ permissions }) {
      const before = cache.getQueryData(key)
      cache.setQueryData(key, { ...permissions })
      return before
    },
    onSuccess: ({ permissions }) => cache.setQueryData(key, permissions),
    onError(error, _, before) {
      if (before !== undefined) cache.setQueryData(key, before)
      onRefused(error)
    },
  })
}

interface PermissionChange {
  /** The switches that differ from their defaults; the server puts the others back. */
  readonly explicit: Readonly<Record<string, boolean>>
  /** Every switch, as it will be. */
  readonly permissions: Readonly<Record<string, boolean>>
}

/** Limits an account to some models, or lifts the limit. */
export function useSetModels() {
  const users = useUserCache()
  return useMutation({
    mutationFn: ({ id, ...body }: { readonly id: string; readonly enabled: boolean; readonly models: string[] }) =>
      unwrap(api.PUT('/api/auth/admin/users/{id}/models', { ...target(id), body })),
    onSuccess: ({ allowed_models }, { id }) => users.patch(id, { allowed_models }),
  })
}

const fetchQuotas = async (id: string, signal?: AbortSignal) =>
  (await unwrap(api.GET('/api/auth/admin/users/{id}/quotas', { ...target(id), ...(signal && { signal }) }))).quotas

export type Quota = Awaited<ReturnType<typeof fetchQuotas>>[number]

/** The quotas of an account, with their used amounts. */
export const quotasQuery = (id: string) =>
  queryOptions({ queryKey: ['users', id, 'quotas'], queryFn: ({ signal }) => fetchQuotas(id, signal) })

/** A limit for a model, or for all models where the model is empty. */
export interface QuotaDraft {
  readonly model: string
  readonly max_requests: number | null
  readonly max_total_tokens: number | null
  readonly window: string
}

/** Sets a quota; the reply takes the place of the one for the same model. */
export function usePutQuota(id: string) {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (draft: QuotaDraft) =>
      unwrap(api.PUT('/api/auth/admin/users/{id}/quotas', { ...target(id), body: { ...draft } })),
    onSuccess: ({ quota }) =>
      cache.setQueryData(quotasQuery(id).queryKey, (quotas = []) => [
        ...quotas.filter(({ model }) => model !== quota.model),
        quota,
      ]),
  })
}

export function useDeleteQuota(id: string) {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (quota: string) =>
      unwrap(api.DELETE('/api/auth/admin/users/{id}/quotas/{quota_id}', { params: { path: { id, quota_id: quota } } })),
    onSuccess: (_, quota) =>
      cache.setQueryData(quotasQuery(id).queryKey, (quotas = []) => quotas.filter((each) => each.id !== quota)),
  })
}
