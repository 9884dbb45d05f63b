import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../api-client.ts'

/** The names of a model's voices. */
export const voicesQuery = (model: string) =>
  queryOptions({
    queryKey: ['voices', model],
    queryFn: async ({ signal }) => {
      const { voices } = await unwrap(api.GET('/v1/voices', { params: { query: { model } }, signal }))
      return voices.map(({ id }) => id)
    },
    staleTime: Number.POSITIVE_INFINITY,
    // a model that lists no voices does not begin to
    retry: false,
  })
