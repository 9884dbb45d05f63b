import { SvcError } from '@svc/errors'
import { type ResponseServerTool, responseServerTool } from '@svc/wire/responses'
import type { HostedTool, NamedToolServer, ToolApproval } from './hosted-tool.ts'

/** Most servers that a request may name. */
export const MAX_SERVERS = 16

/**
 * Reads the entries of tool servers that a session names, as requests of responses list them.
 *
 * @throws {SvcError} `invalid_request` naming the entry
 */
export function readNamedServers(tools: readonly unknown[]): readonly HostedTool[] {
  if (tools.length > MAX_SERVERS) throw invalidTools('tools', `more than ${MAX_SERVERS} servers`)
  return tools.map((tool, index) => {
    const read = responseServerTool.safeParse(tool)
    if (read.success) return { kind: 'named-server', server: toNamedServer(read.data, `tools[${index}]`) }
    throw invalidTools(`tools[${index}]`, 'is not a server of tools')
  })
}

/** Converts the entry of a server. @throws {SvcError} `invalid_request` for one without an address */
export function toNamedServer(tool: ResponseServerTool, param: string): NamedToolServer {
  const { server_label: label, server_url: url, authorization: token, headers, allowed_tools: allowed } = tool
  if (url == null || url === '') throw invalidTools(`${param}.server_url`, 'is needed: there are no connectors here')
  return {
    label,
    url,
    ...(token == null ? {} : { token }),
    ...(headers == null ? {} : { headers }),
    ...toAllowed(allowed),
    approval: toApproval(tool.require_approval),
  }
}

function toAllowed(allowed: ResponseServerTool['allowed_tools']): Pick<NamedToolServer, 'allowed'> {
  const names = Array.isArray(allowed) ? allowed : allowed?.tool_names
  return names == null ? {} : { allowed: names }
}

/** Without a word each tool needs consent, as official servers do it. */
function toApproval(required: ResponseServerTool['require_approval']): (tool: string) => ToolApproval {
  if (required === 'never') return () => 'auto'
  if (required == null || required === 'always') return () => 'ask'
  const always = new Set(required.always?.tool_names ?? [])
  const never = new Set(required.never?.tool_names ?? [])
  return (tool) => (never.has(tool) && !always.has(tool) ? 'auto' : 'ask')
}

/** Creates the refusal of an entry. */
export function invalidTools(param: string, reason: string): SvcError {
  return new SvcError('invalid_request', `${param}: ${reason}`, {
    code: 'invalid_tools',
    details: { type: 'invalid_request_error', param },
  })
}
