import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { api, unwrap } from './api-client.ts'

/** What this server serves: areas such as `traces` and `router`, and every feature switch such as `pii_filter`. */
export type Capabilities = Awaited<ReturnType<typeof fetchCapabilities>>

/** The name of an area or feature. */
export type Capability = keyof Capabilities

const fetchCapabilities = (signal?: AbortSignal) =>
  unwrap(api.GET('/api/features', signal === undefined ? {} : { signal }))

/** What this server serves, asked for once for a page load. */
export const capabilitiesQuery = queryOptions({
  queryKey: ['capabilities'],
  staleTime: 300_000,
  queryFn: ({ signal }) => fetchCapabilities(signal),
})

/** What this server serves; guards load it before any page. */
export function useCapabilities(): Capabilities {
  return useSuspenseQuery(capabilitiesQuery).data
}
