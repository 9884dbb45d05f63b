import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'
import { installedModelsQuery } from '../../lib/server-state.ts'

/** Names of the models that can chat, for the way from the record to a chat. */
export const chatModelsQuery = queryOptions({
  ...installedModelsQuery,
  select: (models): ReadonlySet<string> =>
    new Set(
      models
        .filter(({ capabilities, disabled }) => capabilities.includes('FLAG_CHAT') && !disabled)
        .map(({ id }) => id),
    ),
})

/** Clears the record of operations. */
export async function clearHistory(): Promise<void> {
  await unwrap(api.DELETE('/api/operations/history', {}))
}
