import { queryOptions } from '@tanstack/react-query'
import { api } from '../../lib/api-client.ts'
import { ApiError, readFailure } from '../../lib/api-error.ts'
import { fetchServerState } from '../../lib/server-state.ts'

/** Shares of the processors span the time since the previous call, so only one page asks this often. */
const POLL_MS = 2_000
const LOAD_TIMEOUT_MS = 30 * 60_000

/** The host, and the loaded models with their processes and states: one call. */
export const monitorQuery = queryOptions({
  queryKey: ['system', 'monitor'],
  queryFn: ({ signal }) => fetchServerState(signal, ['states']),
  refetchInterval: POLL_MS,
})

/** A load that failed, with the names of models that it has loaded nevertheless. */
export class LoadError extends ApiError {
  readonly loaded: readonly string[]

  constructor(failure: ApiError, loaded: readonly string[]) {
    super(failure.message, failure)
    this.loaded = loaded
  }
}

const toNames = (names: unknown): readonly string[] =>
  Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []

/** Loads a model and waits until it is there. @returns the names of the loaded models @throws LoadError */
export async function loadModel(model: string): Promise<readonly string[]> {
  const signal = AbortSignal.timeout(LOAD_TIMEOUT_MS)
  const { data, error, response } = await api.POST('/backend/load', { body: { model }, signal })
  if (data !== undefined) return data.loaded
  throw new LoadError(readFailure(response, error), 'loaded' in error ? toNames(error.loaded) : [])
}
