import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'

/** Facts that the server publishes about itself. */
export const discoveryQuery = queryOptions({
  queryKey: ['discovery'],
  staleTime: 300_000,
  queryFn: ({ signal }) => unwrap(api.GET('/.well-known/service.json', { signal })),
})

/** Whether the server takes requests; `starting` with the reason that it gives. */
export type Readiness = { readonly kind: 'ready' } | { readonly kind: 'starting'; readonly reason: string }

/** The state of the server. */
export const readinessQuery = queryOptions({
  queryKey: ['readiness'],
  queryFn: async ({ signal }): Promise<Readiness> => {
    const { error, response } = await api.GET('/readyz', { signal, cache: 'no-store' })
    if (response.ok) return { kind: 'ready' }
    return { kind: 'starting', reason: error !== undefined && 'reason' in error ? String(error.reason) : '' }
  },
})
