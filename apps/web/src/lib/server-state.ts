import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from './api-client.ts'
import type { components } from './schema.gen.ts'

/** A model that is loaded. */
export type LoadedModel = components['schemas']['LoadedModel']

/** Backends and loaded models with their processes, for admins. */
export const systemQuery = queryOptions({
  queryKey: ['system'],
  queryFn: ({ signal }) => unwrap(api.GET('/system', { signal })),
})

/** Processors, memory, disk and graphics devices, for admins. */
export const resourcesQuery = queryOptions({
  queryKey: ['resources'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/resources', { signal })),
})

/** The models that are here, with what each can be asked for. */
export const installedModelsQuery = queryOptions({
  queryKey: ['models', 'installed'],
  queryFn: async ({ signal }) => (await unwrap(api.GET('/api/models/capabilities', { signal }))).data,
})

/** A model that is here. */
export type InstalledModel = Awaited<ReturnType<NonNullable<typeof installedModelsQuery.queryFn>>>[number]

/** Names of the models that the viewer may use. */
export const modelNamesQuery = queryOptions({
  queryKey: ['models', 'names'],
  queryFn: async ({ signal }) => (await unwrap(api.GET('/v1/models', { signal }))).data.map(({ id }) => id),
})

/** The state of the filter, of the routers and of the intercepting proxy, for admins. */
export const middlewareQuery = queryOptions({
  queryKey: ['middleware-status'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/middleware/status', { signal })),
})

/** Stops the backend of a model. */
export async function stopModel(model: string): Promise<void> {
  await unwrap(api.POST('/backend/shutdown', { body: { model } }))
}
