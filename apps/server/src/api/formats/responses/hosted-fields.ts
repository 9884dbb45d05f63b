import type {
  ResponseFileSearchTool,
  ResponseInputItem,
  ResponseRequest,
  ResponseServerTool,
  ResponseTool,
} from '@svc/wire/responses'
import type { HostedTool } from '../../../inference/tools/hosted-tool.ts'
import { invalidTools, MAX_SERVERS, toNamedServer } from '../../../inference/tools/named-servers.ts'
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
  const named = given.flatMap((tool, index) => readHosted(tool, `tools[${index}]`) ?? [])
  checkServers(given)
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

function readHosted(tool: ResponseTool, param: string): HostedTool | undefined {
  if (isServer(tool)) return { kind: 'named-server', server: toNamedServer(tool, param) }
  if (!isFileSearch(tool)) return undefined
  return {
    kind: 'file-search',
    stores: tool.vector_store_ids,
    maxResults: tool.max_num_results ?? undefined,
    threshold: tool.ranking_options?.score_threshold ?? undefined,
    filter: tool.filters ?? undefined,
  }
}

function checkServers(tools: readonly ResponseTool[]): void {
  const labels = new Set<string>()
  let searches = 0
  for (const [index, tool] of tools.entries()) {
    if (isFileSearch(tool)) searches += 1
    if (searches > 1) throw invalidTools(`tools[${index}]`, 'one file_search takes all vector stores')
    if (!isServer(tool)) continue
    if (labels.has(tool.server_label))
      throw invalidTools(`tools[${index}].server_label`, 'is the label of another server')
    labels.add(tool.server_label)
    if (labels.size > MAX_SERVERS) throw invalidTools('tools', `more than ${MAX_SERVERS} servers`)
  }
}
