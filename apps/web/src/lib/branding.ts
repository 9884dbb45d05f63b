import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, unwrap } from './api-client.ts'
import { toUrl } from './base-path.ts'

/** Name, tagline and pictures of this server. */
export const brandingQuery = queryOptions({
  queryKey: ['branding'],
  staleTime: 300_000,
  queryFn: ({ signal }) => unwrap(api.GET('/api/branding', { signal })),
})

/** The name that the admin gave this server, else the name of the product. */
export function useInstanceName(): string {
  const name = useQuery(brandingQuery).data?.instance_name
  return name === undefined || name === '' ? 'svc' : name
}

/** The address of the square logo that the admin has set; undefined for the mark of the product. */
export function useOwnLogo(): string | undefined {
  const url = useQuery(brandingQuery).data?.logo_url ?? ''
  return url.startsWith('/branding/') ? toUrl(url) : undefined
}

/** The version of the server that this interface was built with; empty under test. */
export const VERSION = String(import.meta.env.VITE_SVC_VERSION ?? '')
