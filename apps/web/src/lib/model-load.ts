import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from './api-client.ts'
import { ApiError } from './api-error.ts'
import type { paths } from './schema.gen.ts'

/** How far a model is on its way into memory. */
export type LoadStatus = paths['/api/models/{id}/load-status']['get']['responses'][200]['content']['application/json']

/** Times between two looks, in milliseconds: while the model is on its way, and else. */
const BUSY_MS = 1_000
const IDLE_MS = 5_000

async function fetchLoad(model: string, signal: AbortSignal): Promise<LoadStatus | null> {
  try {
    return await unwrap(api.GET('/api/models/{id}/load-status', { params: { path: { id: model } }, signal }))
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  }
}

/** The way of a model into memory; null while nothing of it runs. */
export const modelLoadQuery = (model: string) =>
  queryOptions({
    queryKey: ['models', 'load', model],
    queryFn: ({ signal }) => fetchLoad(model, signal),
    refetchInterval: ({ state: { data } }) => (data === undefined || data === null ? IDLE_MS : BUSY_MS),
  })
