import { SvcError } from '@svc/errors'
import { type McpServerSettings, readMcpText } from '../catalog/mcp-settings.ts'
import type { ModelConfig } from '../catalog/model-config.ts'

const KINDS = ['remote', 'stdio'] as const

/** The read blocks, by the block: files are read once. */
const READ = new WeakMap<ModelConfig['mcp'], readonly McpServerSettings[]>()

/**
 * Reads the servers that the file of a model names, the remote ones first. Of two with one name the first is used.
 *
 * @throws {SvcError} `internal`, code `mcp_config`
 */
export function readModelServers({ mcp }: Pick<ModelConfig, 'mcp'>): readonly McpServerSettings[] {
  const known = READ.get(mcp)
  if (known !== undefined) return known
  const servers = new Map<string, McpServerSettings>()
  for (const kind of KINDS) {
    const text = mcp[kind]
    if (text === undefined || text.trim() === '') continue
    const reading = readMcpText(kind, text)
    const [problem] = reading.problems
    if (problem !== undefined) {
      const key = problem.key === '' ? `mcp.${kind}` : `mcp.${kind}.${problem.key}`
      throw new SvcError('internal', `failed to get MCP config: ${key}: ${problem.reason}`, { code: 'mcp_config' })
    }
    for (const server of reading.servers) if (!servers.has(server.name)) servers.set(server.name, server)
  }
  const list = [...servers.values()]
  READ.set(mcp, list)
  return list
}
