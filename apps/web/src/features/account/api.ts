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

const fetchKeys = (signal?: AbortSignal) =>
  unwrap(api.GET('/api/auth/api-keys', signal === undefined ? {} : { signal }))

export type ApiKey = Awaited<ReturnType<typeof fetchKeys>>['keys'][number]

/** The keys of the viewer, newest first. */
export const keysQuery = queryOptions({
  queryKey: ['account', 'keys'],
  queryFn: async ({ signal }) => (await fetchKeys(signal)).keys,
})

/** A key to be made. Without an end the server decides. */
export interface KeyDraft {
  readonly name: string
  readonly expiresIn?: string
  readonly expiresAt?: string
  /** Route groups and models to which the key is limited; an absent list means no limit. */
  readonly scopes?: KeyScopes
}

/** The limits of a key. */
export interface KeyScopes {
  readonly routes?: string[]
  readonly models?: string[]
  readonly addresses?: string[]
}

/** Makes a key. It appears in the list at once. Only the reply holds its value. */
export function useMakeKey() {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (draft: KeyDraft) => unwrap(api.POST('/api/auth/api-keys', { body: { ...draft } })),
    onSuccess({ key: _, ...made }) {
      cache.setQueryData(keysQuery.queryKey, (keys = []) => [{ ...made, lastUsed: null }, ...keys])
    },
  })
}

/** A change of a key; absent fields stay. */
export interface KeyEdit {
  readonly id: string
  readonly name: string
  readonly note: string | null
  readonly blocked?: boolean
}

/** Changes a key. The list has the reply at once. */
export function useEditKey() {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: ({ id, ...body }: KeyEdit) =>
      unwrap(api.PATCH('/api/auth/api-keys/{id}', { params: { path: { id } }, body })),
    onSuccess(edited) {
      cache.setQueryData(keysQuery.queryKey, (keys = []) => keys.map((key) => (key.id === edited.id ? edited : key)))
    },
  })
}

/** Gives a key a new value, which only the reply holds. @param rotation.grace such as `24h`, or `0` */
export function useRotateKey() {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: ({ id, grace }: { readonly id: string; readonly grace: string }) =>
      unwrap(api.POST('/api/auth/api-keys/{id}/rotate', { params: { path: { id } }, body: { grace } })),
    onSuccess({ key: _, ...rotated }) {
      cache.setQueryData(keysQuery.queryKey, (keys = []) =>
        keys.map((key) => (key.id === rotated.id ? { ...key, ...rotated } : key)),
      )
    },
  })
}

/** Revokes a key; it leaves the list with the reply. */
export function useRevokeKey() {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => unwrap(api.DELETE('/api/auth/api-keys/{id}', { params: { path: { id } } })),
    onSuccess(_, id) {
      cache.setQueryData(keysQuery.queryKey, (keys = []) => keys.filter((key) => key.id !== id))
    },
  })
}
