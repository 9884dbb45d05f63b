import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'
import { ApiError, readFailure } from '../../lib/api-error.ts'
import type { components } from '../../lib/schema.gen.ts'
import { resourcesQuery, systemQuery } from '../../lib/server-state.ts'

/** The host's resources and their use. */
export type Resources = components['schemas']['Resources']

/** Shares of the processors span the time since the previous call, so one page alone asks this often. */
const POLL_MS = 2_000
const STATE_MS = 4_000
const LOAD_TIMEOUT_MS = 30 * 60_000

/** Processors, memory, disk and graphics devices. */
export const polledResourcesQuery = queryOptions({ ...resourcesQuery, refetchInterval: POLL_MS })

/** The loaded models with their processes. */
export const polledSystemQuery = queryOptions({ ...systemQuery, refetchInterval: POLL_MS })

/** What the backend of a model says about itself. */
export const stateQuery = (model: string) =>
  queryOptions({
    queryKey: ['monitor', 'state', model],
    queryFn: ({ signal }) => unwrap(api.GET('/backend/monitor', { params: { query: { model } }, signal })),
    refetchInterval: STATE_MS,
  })

/** A load that failed, with what it has loaded all the same. */
export class LoadError extends ApiError {
  readonly loaded: readonly string[]

  constructor(failure: ApiError, loaded: readonly string[]) {
    super(failure.message, failure)
    this.loaded = loaded
  }
}

const toNames = (names: unknown): readonly string[] =>
  Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []

/** Loads a model and waits until it is there. @returns the names of what was loaded @throws LoadError */
export async function loadModel(model: string): Promise<readonly string[]> {
  const signal = AbortSignal.timeout(LOAD_TIMEOUT_MS)
  const { data, error, response } = await api.POST('/backend/load', { body: { model }, signal })
  if (data !== undefined) return data.loaded
  throw new LoadError(readFailure(response, error), 'loaded' in error ? toNames(error.loaded) : [])
}
