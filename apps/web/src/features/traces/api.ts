import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'
import type { ListedPage } from '../../lib/held-rows.ts'
import { queryClient } from '../../lib/query-client.ts'
import type { components } from '../../lib/schema.gen.ts'
import { type ListQuery, toKey, toQuery, toSummaryQuery } from './list-query.ts'
import type { TracesSearch } from './search.ts'

/** A traced request. */
export type RequestTrace = components['schemas']['Trace']
/** A traced call to a backend. */
export type CallTrace = components['schemas']['BackendTrace']

const LIVE_MS = 5_000
const MAX_EXPORTED = 1000

/** Requests, failures and durations of the last hours, as filtered. Calls have no figures of their own. */
export const summaryQuery = (search: TracesSearch) => {
  const query = toSummaryQuery(search)
  return queryOptions({
    queryKey: ['traces', 'summary', query],
    queryFn: ({ signal }) => unwrap(api.GET('/api/traces/summary', { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: search.live === true && LIVE_MS,
  })
}

/** A page of requests. */
export const requestsQuery = (search: TracesSearch) =>
  queryOptions({
    queryKey: ['traces', 'requests', toKey(search)],
    queryFn: ({ signal }) => fetchRequests(toQuery(search), signal),
    placeholderData: keepPreviousData,
    refetchInterval: search.live === true && LIVE_MS,
  })

/** A page of calls to backends. */
export const callsQuery = (search: TracesSearch) =>
  queryOptions({
    queryKey: ['traces', 'calls', toKey(search)],
    queryFn: ({ signal }) => fetchCalls(toQuery(search), signal),
    placeholderData: keepPreviousData,
    refetchInterval: search.live === true && LIVE_MS,
  })

/** One request with its bodies. */
export const requestQuery = (id: string) =>
  queryOptions({
    queryKey: ['traces', 'request', id],
    queryFn: ({ signal }) => unwrap(api.GET('/api/traces/{id}', { params: { path: { id } }, signal })),
    // a request that runs gets its figures when it has ended
    refetchInterval: ({ state }) => state.data?.response.status === 0 && 2_000,
  })

/** One call to a backend. */
export const callQuery = (id: string) =>
  queryOptions({
    queryKey: ['traces', 'call', id],
    queryFn: ({ signal }) => unwrap(api.GET('/api/backend-traces/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => state.data?.status === 'running' && 2_000,
  })

/** The calls to backends that a request made, in their order. */
export const callsOfRequestQuery = (correlationId: string) =>
  queryOptions({
    queryKey: ['traces', 'calls-of', correlationId],
    queryFn: async ({ signal }) =>
      (await fetchCalls({ correlation_id: correlationId, limit: '100' }, signal)).rows.toReversed(),
  })

/** Whether the server records traces. */
export const tracingQuery = queryOptions({
  queryKey: ['traces', 'tracing'],
  queryFn: async ({ signal }) => {
    const { enable_tracing, tracing_max_items } = await unwrap(api.GET('/api/settings', { signal }))
    return { isOn: enable_tracing === true, maxItems: tracing_max_items }
  },
})

/** Begins to record traces. */
export async function switchTracingOn(): Promise<void> {
  await unwrap(api.POST('/api/settings', { body: { enable_tracing: true } }))
  await queryClient.fetchQuery(tracingQuery)
}

/** Forgets the traces of one kind. */
export async function clearTraces(kind: TracesSearch['kind']): Promise<void> {
  await unwrap(kind === 'backend' ? api.POST('/api/backend-traces/clear') : api.POST('/api/traces/clear'))
  await queryClient.resetQueries({ queryKey: ['traces'] })
}

/** Everything that matches, without bodies: the newest thousand at most. */
export async function exportTraces(search: TracesSearch): Promise<readonly (RequestTrace | CallTrace)[]> {
  const query = { ...toQuery({ ...search, page: undefined }), limit: String(MAX_EXPORTED) }
  const signal = AbortSignal.timeout(60_000)
  return (await (search.kind === 'backend' ? fetchCalls(query, signal) : fetchRequests(query, signal))).rows
}

async function fetchRequests(query: ListQuery, signal: AbortSignal): Promise<ListedPage<RequestTrace>> {
  const reply = await api.GET('/api/traces', { params: { query }, signal })
  const rows = await unwrap(Promise.resolve(reply))
  return { rows, total: readTotal(reply.response, rows.length) }
}

async function fetchCalls(query: ListQuery, signal: AbortSignal): Promise<ListedPage<CallTrace>> {
  const reply = await api.GET('/api/backend-traces', { params: { query }, signal })
  const rows = await unwrap(Promise.resolve(reply))
  return { rows, total: readTotal(reply.response, rows.length) }
}

function readTotal({ headers }: Response, fallback: number): number {
  const total = Number(headers.get('x-total-count') ?? fallback)
  return Number.isInteger(total) ? total : fallback
}
