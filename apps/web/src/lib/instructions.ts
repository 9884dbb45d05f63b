import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from './api-client.ts'

/** The server's description of its own API, page by page. */
export const instructionsQuery = queryOptions({
  queryKey: ['instructions'],
  staleTime: 300_000,
  queryFn: async ({ signal }) => (await unwrap(api.GET('/api/instructions', { signal }))).instructions,
})

/** One page of the instructions, as markdown. */
export const instructionQuery = (name: string) =>
  queryOptions({
    queryKey: ['instructions', name],
    staleTime: 300_000,
    queryFn: async ({ signal }): Promise<string> => {
      const text = await unwrap(
        api.GET('/api/instructions/{name}', { params: { path: { name } }, parseAs: 'text', signal }),
      )
      return typeof text === 'string' ? text : ''
    },
  })
