import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'
import { operationsQuery } from '../../lib/operations/operation-queries.ts'
import { resourcesQuery, systemQuery } from '../../lib/server-state.ts'
import { findFit, findStarters, type Starter } from './find-starters.ts'

/** Requests of the last 24 hours. */
export const summaryQuery = queryOptions({
  queryKey: ['home', 'summary'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/traces/summary', { params: { query: { hours: '24' } }, signal })),
})

/** A model whose last load failed. */
export interface FailedLoad {
  readonly model: string
  readonly error: string
  readonly at: string
}

/** Models whose last load failed, as far as the traces of backends reach back. */
export const failedLoadsQuery = queryOptions({
  queryKey: ['home', 'failed-loads'],
  async queryFn({ signal }): Promise<readonly FailedLoad[]> {
    const traces = await unwrap(api.GET('/api/backend-traces', { params: { query: { limit: '200' } }, signal }))
    return findFailedLoads(traces)
  },
})

/** @param traces of backends, the newest first */
function findFailedLoads(
  traces: readonly {
    readonly type: string
    readonly status: string
    readonly model_name: string
    readonly error?: string | undefined
    readonly timestamp: string
  }[],
): readonly FailedLoad[] {
  const last = new Map<string, FailedLoad | undefined>()
  for (const { type, status, model_name: model, error = '', timestamp: at } of traces) {
    if (type !== 'model_load' || status === 'running' || last.has(model)) continue
    last.set(model, status === 'failed' ? { model, error, at } : undefined)
  }
  return [...last.values()].filter((load) => load !== undefined)
}

/** Accounts that wait for an admin. */
export const pendingUsersQuery = queryOptions({
  queryKey: ['home', 'pending-users'],
  async queryFn({ signal }) {
    const { users } = await unwrap(api.GET('/api/auth/admin/users', { signal }))
    return users.filter(({ status }) => status === 'pending')
  },
})

/** Up to three models of the galleries that can chat and fit this machine. */
export const startersQuery = queryOptions({
  queryKey: ['home', 'starters'],
  staleTime: 300_000,
  async queryFn({ signal }): Promise<readonly Starter[]> {
    const query = { capability: 'chat', items: '12', collapse_variants: 'true' }
    const { models } = await unwrap(api.GET('/api/models', { params: { query }, signal }))
    const fitting: Starter[] = []
    for (const starter of findStarters(models).slice(0, 9)) {
      const path = { id: starter.id }
      const { variants } = await unwrap(api.GET('/api/models/variants/{id}', { params: { path }, signal }))
      const fit = findFit(variants)
      if (fit !== undefined) fitting.push({ ...starter, ...fit })
      if (fitting.length === 3) break
    }
    return fitting
  },
})

export const installModel = (id: string) => unwrap(api.POST('/api/models/install/{id}', { params: { path: { id } } }))

/** Renewed one after the other, so that a page at rest sends few requests. In the last pause the frame asks for changes. */
const POLLED = [systemQuery, resourcesQuery, operationsQuery, undefined] as const
const STEP_MS = 5_000

/**
 * Keeps what runs up to date while the page is visible. It asks halfway between the looks after the server's health,
 * which are left out then.
 *
 * @returns what ends it
 */
export function pollServer(client: QueryClient): () => void {
  let step = 0
  let timer: ReturnType<typeof setTimeout>
  const poll = () => {
    timer = setTimeout(poll, STEP_MS)
    if (document.visibilityState === 'hidden') return
    step = (step + 1) % POLLED.length
    const query = POLLED[step]
    if (query !== undefined) void client.refetchQueries({ queryKey: query.queryKey, type: 'active' })
  }
  // the page has just asked for all of it
  timer = setTimeout(poll, STEP_MS * 1.5)
  return () => clearTimeout(timer)
}
