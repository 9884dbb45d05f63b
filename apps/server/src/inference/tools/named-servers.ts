import { SvcError } from '@svc/errors'
import type { HostedTool, NamedToolServer, ToolApproval } from './hosted-tool.ts'

/** Most servers that a request may name. */
const MAX_SERVERS = 16

type ToolNames = { readonly tool_names?: readonly string[] | null | undefined }

/** The tools of a server, as requests list them. */
export interface NamedServerTool {
  readonly type: 'mcp'
  readonly server_label: string
  readonly server_url?: string | null | undefined
  readonly authorization?: string | null | undefined
  readonly headers?: Readonly<Record<string, string>> | null | undefined
  readonly allowed_tools?: readonly string[] | ToolNames | null | undefined
  readonly require_approval?:
    | 'always'
    | 'never'
    | { readonly always?: ToolNames | null | undefined; readonly never?: ToolNames | null | undefined }
    | null
    | undefined
}

/** Reads the servers that a request names. @throws {SvcError} `invalid_tools` naming the entry */
export function readNamedServers(tools: readonly { readonly type: string }[]): HostedTool[] {
  const labels = new Set<string>()
  return tools.flatMap((tool, index) => {
    if (!isNamedServer(tool)) return []
    if (labels.has(tool.server_label)) throw invalid(`tools[${index}].server_label`, 'is the label of another server')
    labels.add(tool.server_label)
    if (labels.size > MAX_SERVERS) throw invalid('tools', `more than ${MAX_SERVERS} servers`)
    return [{ kind: 'named-server', server: toServer(tool, `tools[${index}]`) }]
  })
}

function isNamedServer(tool: { readonly type: string }): tool is NamedServerTool {
  return tool.type === 'mcp'
}

function toServer(tool: NamedServerTool, param: string): NamedToolServer {
  const { server_label: label, server_url: url, authorization: token, headers, allowed_tools: allowed } = tool
  if (url == null || url === '') throw invalid(`${param}.server_url`, 'is needed: there are no connectors here')
  return {
    label,
    url,
    ...(token == null ? {} : { token }),
    ...(headers == null ? {} : { headers }),
    ...toAllowed(allowed),
    approval: toApproval(tool.require_approval),
  }
}

function toAllowed(allowed: NamedServerTool['allowed_tools']): Pick<NamedToolServer, 'allowed'> {
  const names = isList(allowed) ? allowed : allowed?.tool_names
  return names == null ? {} : { allowed: names }
}

const isList = (value: NamedServerTool['allowed_tools']): value is readonly string[] => Array.isArray(value)

/** Without a word each tool needs consent, as official servers do it. */
function toApproval(required: NamedServerTool['require_approval']): (tool: string) => ToolApproval {
  if (required === 'never') return () => 'auto'
  if (required == null || required === 'always') return () => 'ask'
  const always = new Set(required.always?.tool_names ?? [])
  const never = new Set(required.never?.tool_names ?? [])
  return (tool) => (never.has(tool) && !always.has(tool) ? 'auto' : 'ask')
}

function invalid(param: string, reason: string): SvcError {
  return new SvcError('invalid_request', `${param}: ${reason}`, {
    code: 'invalid_tools',
    details: { type: 'invalid_request_error', param },
  })
}
