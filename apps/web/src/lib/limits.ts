import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from './api-client.ts'
import type { paths } from './schema.gen.ts'

/** A limit with what is used of it. */
export type Limit = paths['/api/limits']['get']['responses'][200]['content']['application/json']['limits'][number]
export type LimitDraft = NonNullable<paths['/api/limits']['post']['requestBody']>['content']['application/json']

/** All limits, for admins. */
export const limitsQuery = queryOptions({
  queryKey: ['limits', 'all'],
  queryFn: async ({ signal }) => (await unwrap(api.GET('/api/limits', { signal }))).limits,
})

/** The groups of accounts, for admins. */
export const groupsQuery = queryOptions({
  queryKey: ['users', 'groups'],
  queryFn: async ({ signal }) => (await unwrap(api.GET('/api/groups', { signal }))).groups,
})

/** The limits that hold for the viewer. */
export const ownLimitsQuery = queryOptions({
  queryKey: ['limits', 'own'],
  queryFn: async ({ signal }) => (await unwrap(api.GET('/api/limits/own', { signal }))).limits,
})

/** Adds a limit, or changes the one with an id. A change leaves the subject out: it stays. */
export async function saveLimit({ subject_kind, subject_id, ...bounds }: LimitDraft, id?: string): Promise<void> {
  if (id === undefined) await unwrap(api.POST('/api/limits', { body: { subject_kind, subject_id, ...bounds } }))
  else await unwrap(api.PATCH('/api/limits/{id}', { params: { path: { id } }, body: bounds }))
}

export async function removeLimit(id: string): Promise<void> {
  await unwrap(api.DELETE('/api/limits/{id}', { params: { path: { id } } }))
}
