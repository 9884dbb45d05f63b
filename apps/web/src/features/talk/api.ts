import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'

async function fetchPipelines(signal: AbortSignal) {
  return unwrap(api.GET('/api/pipeline-models', { signal }))
}

/** A model to talk with: a pipeline of models, or one model that hears and speaks. */
export type Pipeline = Awaited<ReturnType<typeof fetchPipelines>>[number] & {
  /** Whether turns pass the filter; undefined where the server does not say. */
  readonly scanned?: boolean | undefined
}

/** The models to talk with. */
export const pipelinesQuery = queryOptions({
  queryKey: ['models', 'pipelines'],
  queryFn: async ({ signal }): Promise<readonly Pipeline[]> => fetchPipelines(signal),
})
