import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'
import { middlewareQuery } from '../../lib/server-state.ts'
import { computeFingerprint, readPem, readValidity } from './certificate.ts'

/** Events of the proxy that are shown. */
const SHOWN_EVENTS = 20

/** The proxy starts, stops and fails a moment after its settings were changed, or without a change. */
const POLL_MS = 5_000

/** The states of the server's middleware, renewed while the page is open. */
export const polledMiddlewareQuery = queryOptions({ ...middlewareQuery, refetchInterval: POLL_MS })

/** The state of the intercepting proxy. */
export type InterceptingProxy = Awaited<ReturnType<NonNullable<typeof middlewareQuery.queryFn>>>['mitm']

/** The certificate of the authority, with the values that identify it. */
export const certificateQuery = queryOptions({
  queryKey: ['proxy-certificate'],
  async queryFn({ signal }) {
    const pem = await unwrap(api.GET('/api/middleware/proxy-ca.crt', { signal, parseAs: 'text' }))
    const certificate = readPem(pem)
    return { pem, fingerprint: await computeFingerprint(certificate), ...readValidity(certificate) }
  },
})

const fetchEvents = (signal?: AbortSignal) =>
  unwrap(
    api.GET('/api/pii/events', {
      params: { query: { origin: 'proxy', limit: String(SHOWN_EVENTS) } },
      ...(signal === undefined ? {} : { signal }),
    }),
  )

/** An event of the proxy. */
export type ProxyEvent = Awaited<ReturnType<typeof fetchEvents>>['events'][number]

/** The last events of the proxy, the newest first. */
export const proxyEventsQuery = queryOptions({
  queryKey: ['proxy-events'],
  queryFn: async ({ signal }) => (await fetchEvents(signal)).events,
})
