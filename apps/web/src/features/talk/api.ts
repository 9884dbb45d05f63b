import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'

/** The models to talk with. */
export const pipelinesQuery = queryOptions({
  queryKey: ['models', 'pipelines'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/pipeline-models', { signal })),
})

/** A model to talk with: a pipeline of models, or one model that hears and speaks. */
export type Pipeline = Awaited<ReturnType<NonNullable<typeof pipelinesQuery.queryFn>>>[number]
