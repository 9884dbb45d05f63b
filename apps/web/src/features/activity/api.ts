import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'

/** Names of the models that can chat, for the way from the record to a chat. */
export const chatModelsQuery = queryOptions({
  queryKey: ['activity', 'chat-models'],
  async queryFn({ signal }): Promise<ReadonlySet<string>> {
    const { data } = await unwrap(api.GET('/api/models/capabilities', { signal }))
    return new Set(
      data.filter(({ capabilities, disabled }) => capabilities.includes('FLAG_CHAT') && !disabled).map(({ id }) => id),
    )
  },
})

/** Clears the record of operations. */
export async function clearHistory(): Promise<void> {
  await unwrap(api.DELETE('/api/operations/history', {}))
}
