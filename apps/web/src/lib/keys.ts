import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from './api-client.ts'

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
  readonly note?: string
  /** The owner, where an admin makes the key; a service without it. */
  readonly userId?: string
}

/** The limits of a key. */
export interface KeyScopes {
  readonly routes?: string[]
  readonly models?: string[]
  readonly addresses?: string[]
}

/** Whose keys a call is about: those of the viewer, or those of services and of all accounts. */
export type KeyArea = 'own' | 'managed'

/** Makes a key. An own key appears in the list at once. Only the reply holds its value. */
export function useMakeKey(area: KeyArea) {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: ({ userId, ...draft }: KeyDraft) =>
      unwrap(
        area === 'own'
          ? api.POST('/api/auth/api-keys', { body: { ...draft } })
          : api.POST('/api/auth/admin/api-keys', { body: { ...draft, user_id: userId ?? null } }),
      ),
    onSuccess({ key: _, ...made }) {
      if (area === 'managed') return
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
  /** Null takes all limits away. */
  readonly scopes?: KeyScopes | null
  readonly expiresIn?: string
  /** Null lets the key live for ever. */
  readonly expiresAt?: string | null
}

/** Changes a key. The list of own keys has the reply at once. */
export function useEditKey(area: KeyArea) {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: ({ id, ...body }: KeyEdit): Promise<ApiKey> => {
      const call = { params: { path: { id } }, body }
      return unwrap(
        area === 'own' ? api.PATCH('/api/auth/api-keys/{id}', call) : api.PATCH('/api/auth/admin/api-keys/{id}', call),
      )
    },
    onSuccess(edited) {
      cache.setQueryData(keysQuery.queryKey, (keys = []) => keys.map((key) => (key.id === edited.id ? edited : key)))
    },
  })
}

/** Gives a key a new value, which only the reply holds. @param rotation.grace such as `24h`, or `0` */
export function useRotateKey(area: KeyArea) {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: ({ id, grace }: { readonly id: string; readonly grace: string }) => {
      const call = { params: { path: { id } }, body: { grace } }
      return unwrap(
        area === 'own'
          ? api.POST('/api/auth/api-keys/{id}/rotate', call)
          : api.POST('/api/auth/admin/api-keys/{id}/rotate', call),
      )
    },
    onSuccess({ key: _, ...rotated }) {
      cache.setQueryData(keysQuery.queryKey, (keys = []) =>
        keys.map((key) => (key.id === rotated.id ? { ...key, ...rotated } : key)),
      )
    },
  })
}

/** Revokes a key; it leaves the list with the reply. */
export function useRevokeKey(area: KeyArea) {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => {
      const call = { params: { path: { id } } }
      return unwrap(
        area === 'own'
          ? api.DELETE('/api/auth/api-keys/{id}', call)
          : api.DELETE('/api/auth/admin/api-keys/{id}', call),
      )
    },
    onSuccess(_, id) {
      cache.setQueryData(keysQuery.queryKey, (keys = []) => keys.filter((key) => key.id !== id))
    },
  })
}
