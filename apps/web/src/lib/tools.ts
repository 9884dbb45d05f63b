import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from './api-client.ts'

async function fetchServers(model: string, signal: AbortSignal) {
  return (await unwrap(api.GET('/v1/mcp/servers/{model}', { signal, params: { path: { model } } }))).servers
}

/** A server of tools of a model: what it gives, or why it gives nothing. */
export type ToolServer = Awaited<ReturnType<typeof fetchServers>>[number]
/** A tool of a server. */
export type Tool = ToolServer['tools'][number]

/** The servers of tools of a model. Asking for them starts them. */
export const toolServersQuery = (model: string) =>
  queryOptions({
    queryKey: ['tools', model],
    staleTime: 30_000,
    queryFn: ({ signal }) => fetchServers(model, signal),
  })
