import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'
import type { LogSource } from '../../lib/backend-log/use-log.ts'
import { queryClient } from '../../lib/query-client.ts'
import { systemQuery } from '../../lib/server-state.ts'

/** Models whose backends have written something. */
export const logNamesQuery = queryOptions({
  queryKey: ['logs', 'names'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/backend-logs', { signal })),
})

/** Names of the models that are loaded. */
export const loadedNamesQuery = queryOptions({
  ...systemQuery,
  select: ({ loaded_models }) => loaded_models.map(({ id }) => id),
})

/** Whether the server keeps the output of backends. */
export const loggingQuery = queryOptions({
  queryKey: ['logs', 'logging'],
  queryFn: async ({ signal }) => (await unwrap(api.GET('/api/settings', { signal }))).enable_backend_logging !== false,
})

/** Begins to keep the output of backends. */
export async function switchLoggingOn(): Promise<void> {
  await unwrap(api.POST('/api/settings', { body: { enable_backend_logging: true } }))
  await queryClient.fetchQuery(loggingQuery)
}

/** The output of a model on this machine. */
export function readLogSource(model: string): LogSource {
  return {
    socketPath: `/ws/backend-logs/${encodeURIComponent(model)}`,
    fetchLines: (signal) => unwrap(api.GET('/api/backend-logs/{path}', { params: { path: { path: model } }, signal })),
  }
}
