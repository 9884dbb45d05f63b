import { SvcError } from '@svc/errors'
import {
  type MessagesCountRequest,
  type MessagesToolServer,
  type MessagesToolset,
  messagesToolset,
} from '@svc/wire/messages'
import type { HostedTool, NamedToolServer } from '../../../inference/tools/hosted-tool.ts'

/** Most servers that a request may name. */
const MAX_SERVERS = 16

/**
 * Reads the servers of tools that a request names, with the toolsets that say which of their tools it wants. A request
 * without any toolset has the older form, in which each server says it itself.
 *
 * @throws {SvcError} `invalid_request` naming the entry
 */
export function readToolServers({ tools, mcp_servers: servers }: MessagesCountRequest): readonly HostedTool[] {
  const toolsets = (tools ?? []).flatMap((tool, index) => readToolset(tool, `tools[${index}]`) ?? [])
  const given = servers ?? []
  if (given.length > MAX_SERVERS) throw invalid('mcp_servers', `more than ${MAX_SERVERS} servers`)
  for (const [index, { mcp_server_name: name }] of toolsets.entries()) {
    if (!given.some((server) => server.name === name)) {
      throw invalid(`tools[${index}].mcp_server_name`, 'names no server of mcp_servers')
    }
  }
  return given.flatMap((server, index): HostedTool[] => {
    if (given.findIndex(({ name }) => name === server.name) < index) {
      throw invalid(`mcp_servers[${index}].name`, 'is the name of another server')
    }
    const toolset = toolsets.find(({ mcp_server_name: name }) => name === server.name)
    if (toolset === undefined && toolsets.length > 0) {
      throw invalid(`mcp_servers[${index}].name`, 'no mcp_toolset of tools names this server')
    }
    const limits = toolset === undefined ? toOlderLimits(server) : toLimits(toolset)
    return limits === undefined ? [] : [{ kind: 'named-server', server: { ...toServer(server), ...limits } }]
  })
}

function readToolset(tool: { readonly type?: string | null | undefined }, param: string): MessagesToolset | undefined {
  if (tool.type !== 'mcp_toolset') return undefined
  const read = messagesToolset.safeParse(tool)
  if (read.success) return read.data
  throw invalid(param, 'is no toolset: mcp_server_name, default_config and configs have other forms')
}

function toServer({ name, url, authorization_token: token }: MessagesToolServer): NamedToolServer {
  return { label: name, url, ...(token == null ? {} : { token }) }
}

type ToolLimits = Pick<NamedToolServer, 'allowed' | 'denied'>

function toLimits({ default_config: usual, configs }: MessagesToolset): ToolLimits {
  const named = Object.entries(configs ?? {})
  const pick = (isEnabled: boolean): string[] =>
    named.flatMap(([name, { enabled }]) => ((enabled ?? usual?.enabled ?? true) === isEnabled ? [name] : []))
  return usual?.enabled === false ? { allowed: pick(true) } : { denied: pick(false) }
}

/** Undefined for a server whose tools are switched off. */
function toOlderLimits({ tool_configuration: configuration }: MessagesToolServer): ToolLimits | undefined {
  if (configuration?.enabled === false) return undefined
  return configuration?.allowed_tools == null ? {} : { allowed: configuration.allowed_tools }
}

function invalid(param: string, reason: string): SvcError {
  return new SvcError('invalid_request', `${param}: ${reason}`, { code: 'invalid_tools', details: { param } })
}
