import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'
import { operationsQuery } from '../../lib/operations/operation-queries.ts'
import { systemQuery } from '../../lib/server-state.ts'
import { isPending, usersQuery } from '../../lib/users.ts'
import { findFit, findStarters, type Starter } from './find-starters.ts'

/** Requests of the last 24 hours. */
export const summaryQuery = queryOptions({
  queryKey: ['home', 'summary'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/traces/summary', { params: { query: { hours: '24' } }, signal })),
})

/** Accounts that wait for an admin. */
export const pendingUsersQuery = queryOptions({
  ...usersQuery,
  select: (users) => users.filter(isPending),
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

/** Renewed one after the other, so that a page at rest sends few requests. In the last pause the frame asks for changes. */
const POLLED = [systemQuery, operationsQuery, undefined] as const
const STEP_MS = 5_000

/**
 * Keeps models and operations up to date while the page is visible. It asks halfway between the looks after the
 * server's health, which are left out then.
 *
 * @returns a function that ends it
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
