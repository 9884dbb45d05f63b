import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { api, unwrap } from './api-client.ts'

/** Capabilities of this server: areas such as `traces` and `router`, and every feature switch such as `pii_filter`. */
export type Capabilities = Awaited<ReturnType<typeof fetchCapabilities>>

/** The name of an area or feature. */
export type Capability = keyof Capabilities

const fetchCapabilities = (signal?: AbortSignal) =>
  unwrap(api.GET('/api/features', signal === undefined ? {} : { signal }))

/** Capabilities of this server, asked for once per page load. */
export const capabilitiesQuery = queryOptions({
  queryKey: ['capabilities'],
  staleTime: 300_000,
  queryFn: ({ signal }) => fetchCapabilities(signal),
})

/** Capabilities of this server; guards load them before any page. */
export function useCapabilities(): Capabilities {
  return useSuspenseQuery(capabilitiesQuery).data
}
