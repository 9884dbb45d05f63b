import { SvcError } from '@svc/errors'
import type {
  ResponseFileSearchTool,
  ResponseInputItem,
  ResponseRequest,
  ResponseServerTool,
  ResponseTool,
} from '@svc/wire/responses'
import type { HostedTool } from '../../../inference/tools/hosted-tool.ts'
import { readNamedServers } from '../../../inference/tools/named-servers.ts'
import { readServerFields, type ServerFields } from '../server-fields.ts'
import type { ServerItemOptions } from './server-items.ts'

/**
 * Reads what a request wants this server to run: tools of servers and searches that it names, and without any tools all
 * servers of its model.
 *
 * @throws {SvcError} `invalid_request` naming the entry
 */
export function readHostedFields(
  { tools, metadata }: Pick<ResponseRequest, 'tools' | 'metadata'>,
  items: readonly ResponseInputItem[],
): ServerFields {
  const given = tools ?? []
  const searches = given.filter(isFileSearch)
  if (searches.length > 1) throw invalid(`tools[${given.lastIndexOf(searches[1] as ResponseTool)}]`, 'one file_search takes all vector stores')
  const named = [...readNamedServers(given), ...searches.map(toSearch)]
  const usual: readonly HostedTool[] =
    given.length === 0 ? [{ kind: 'model-servers', required: true, ifAny: true }] : []
  const { hosted, approvals, ...rest } = readServerFields(metadata ?? undefined, { usual, required: true })
  const words = [...(approvals ?? []), ...readApprovals(items)]
  return { ...rest, hosted: [...hosted, ...named], ...(words.length === 0 ? {} : { approvals: new Map(words) }) }
}

/** Decides how the reply shows the tools that this server runs. */
export function readItemOptions(
  { tools, include }: Pick<ResponseRequest, 'tools' | 'include'>,
  items: readonly ResponseInputItem[],
): ServerItemOptions {
  const known = new Set(items.flatMap((item) => (item.type === 'mcp_list_tools' ? [item.server_label] : [])))
  const labels = (tools ?? []).flatMap((tool) => (isServer(tool) ? [tool.server_label] : []))
  return {
    listed: new Set(labels.filter((label) => !known.has(label))),
    answered: new Set(readApprovals(items).map(([id]) => id)),
    showsResults: (include ?? []).includes('file_search_call.results'),
  }
}

/** Types of tools that this server runs for requests of this format. */
export const RUN_HERE: ReadonlySet<string> = new Set(['mcp', 'file_search'])

function isServer(tool: ResponseTool): tool is ResponseServerTool {
  return tool.type === 'mcp'
}

function isFileSearch(tool: ResponseTool): tool is ResponseFileSearchTool {
  return tool.type === 'file_search'
}

function readApprovals(items: readonly ResponseInputItem[]): readonly (readonly [string, boolean])[] {
  return items.flatMap((item) =>
    item.type === 'mcp_approval_response' ? [[item.approval_request_id, item.approve] as const] : [],
  )
}

function toSearch(tool: ResponseFileSearchTool): HostedTool {
  return {
    kind: 'file-search',
    stores: tool.vector_store_ids,
    maxResults: tool.max_num_results ?? undefined,
    threshold: tool.ranking_options?.score_threshold ?? undefined,
    filter: tool.filters ?? undefined,
  }
}

function invalid(param: string, reason: string): SvcError {
  return new SvcError('invalid_request', `${param}: ${reason}`, {
    code: 'invalid_tools',
    details: { type: 'invalid_request_error', param },
  })
}
