import { SvcError } from '@svc/errors'
import { createLazy } from '../../concurrency/lazy.ts'
import type { ToolServers } from '../../inference/tools/server-tools.ts'
import { hasModelServers } from '../../mcp/model-texts.ts'
import type { McpServers, ToolServersOptions } from '../../mcp/tool-servers.ts'

/** The MCP servers of models. The first use loads the code of the protocol. */
export interface LazyToolServers extends ToolServers {
  open(): Promise<McpServers>
  /** The servers; undefined before they are opened. */
  opened(): McpServers | undefined
  /** Sends KILL to every program, for an exit that waits for nothing. */
  killNow(): void
  close(): Promise<void>
}

/** Makes the client of MCP servers. Nothing of it is loaded yet. */
export function createLazyToolServers({
  isDisabled,
  ...options
}: ToolServersOptions & {
  /** Whether the operator wants no tools from MCP servers. */
  readonly isDisabled: boolean
}): LazyToolServers {
  const { open, opened, settled } = createLazy(async () => {
    if (isDisabled) throw turnedOff()
    const { createToolServers } = await import('../../mcp/tool-servers.ts')
    return createToolServers(options)
  })
  return {
    open,
    opened,
    hasServers: (model) => !isDisabled && hasModelServers(model),
    openModel: async (model, request) => (await open()).openModel(model, request),
    openNamed: async (server, request) => (await open()).openNamed(server, request),
    killNow: () => opened()?.killNow(),
    async close() {
      await (await settled())?.close()
    },
  }
}

function turnedOff(): SvcError {
  return new SvcError('invalid_request', 'tools of MCP servers are turned off here (--disable-mcp)', {
    code: 'mcp_disabled',
  })
}
