import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'

const fetchKeys = (signal?: AbortSignal) =>
  unwrap(api.GET('/api/auth/admin/api-keys', signal === undefined ? {} : { signal }))

/** A key of a service or an account. */
export type ManagedKey = Awaited<ReturnType<typeof fetchKeys>>['keys'][number]

/** The keys of services and of all accounts, newest first. */
export const managedKeysQuery = queryOptions({
  queryKey: ['users', 'keys'],
  queryFn: async ({ signal }) => (await fetchKeys(signal)).keys,
})
