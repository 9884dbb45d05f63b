import { queryOptions, type UseMutationOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'
import { sessionQuery } from '../../lib/session.ts'

/** The account of the viewer, with quotas. */
export const meQuery = queryOptions({
  queryKey: ['account', 'me'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/auth/me', { signal })),
})

export type Quota = Awaited<ReturnType<typeof fetchMe>>['quotas'][number]
const fetchMe = () => unwrap(api.GET('/api/auth/me', {}))

/** Renames the account. The new name appears everywhere at once, and the old one returns if the server refuses it. */
export function useRename(options: Pick<UseMutationOptions<unknown, Error, string>, 'onError'>) {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (name: string) => unwrap(api.PUT('/api/auth/profile', { body: { name } })),
    onMutate(name) {
      const before = cache.getQueryData(sessionQuery.queryKey)
      if (before !== undefined)
        cache.setQueryData(sessionQuery.queryKey, { ...before, viewer: { ...before.viewer, name } })
      return before
    },
    onError(error, name, before, context) {
      if (before !== undefined) cache.setQueryData(sessionQuery.queryKey, before)
      options.onError?.(error, name, undefined, context)
    },
  })
}

export interface PasswordChange {
  readonly current: string
  readonly password: string
  readonly acceptsWeak: boolean
}

/** Changes the password. Every other session ends, this browser gets a new one. */
export async function changePassword({ current, password, acceptsWeak }: PasswordChange): Promise<void> {
  await unwrap(
    api.PUT('/api/auth/password', {
      body: {
        current_password: current,
        new_password: password,
        ...(acceptsWeak ? { acknowledge_weak_password: true } : {}),
      },
    }),
  )
}

export async function endOtherSessions(): Promise<void> {
  await unwrap(api.DELETE('/api/auth/sessions', {}))
}
