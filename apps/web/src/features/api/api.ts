import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'

/** Names of the models that the viewer may use. */
export const modelsQuery = queryOptions({
  queryKey: ['api-page', 'models'],
  queryFn: async ({ signal }) => {
    const { data } = await unwrap(api.GET('/v1/models', { signal }))
    return data.map(({ id }) => id)
  },
})
