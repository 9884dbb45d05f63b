import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from './api-client.ts'
import type { components } from './schema.gen.ts'

/** A model that is loaded. */
export type LoadedModel = components['schemas']['LoadedModel']

type SystemReply = components['schemas']['System']
/** The host's resources and their use. */
export type Resources = components['schemas']['Resources']
/** A mistake in a file of the models folder. */
export type ModelProblem = NonNullable<SystemReply['model_problems']>[number]
/** The last load of a model, where it failed. */
export type LoadFailure = NonNullable<SystemReply['load_failures']>[number]

/** State of the server: backends, loaded models, resources, mistakes in model files and failed loads. */
export interface ServerState extends Pick<SystemReply, 'backends' | 'loaded_models'> {
  readonly resources: Resources
  readonly problems: readonly ModelProblem[]
  readonly failures: readonly LoadFailure[]
}

/** Asks for everything about the server in one call. @param more parts that not every page needs */
export async function fetchServerState(signal: AbortSignal, more: readonly string[] = []): Promise<ServerState> {
  const query = { include: ['resources', 'problems', ...more].join(',') }
  const reply = await unwrap(api.GET('/system', { params: { query }, signal }))
  const { backends, loaded_models, resources, model_problems: problems = [], load_failures: failures = [] } = reply
  if (resources === undefined) throw new Error('the server has not told its resources')
  return { backends, loaded_models, resources, problems, failures }
}

/** Backends, loaded models with their processes, resources, and mistakes in models, for admins. */
export const systemQuery = queryOptions({
  queryKey: ['system', 'all'],
  queryFn: ({ signal }) => fetchServerState(signal),
})

/** Processors, memory, disk and graphics devices, for admins. */
export const resourcesQuery = queryOptions({ ...systemQuery, select: ({ resources }) => resources })

/** The installed models, with the uses of each. */
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
