import type { ModelConfig } from '../../catalog/model-config.ts'
import { systemClock } from '../../clock.ts'
import type { RequestContext } from '../../inference/core/ports.ts'
import { quietLogger } from '../../logging/quiet-logger.ts'
import { createProcessStats } from '../../monitoring/process-stats.ts'
import { createOutboundClient } from '../../outbound/client.ts'
import { createToolServers, type McpServers, type ToolServersOptions } from '../tool-servers.ts'

/** Opens the client of servers; `await using` ends it. */
export function openServers(options: Partial<ToolServersOptions> = {}): McpServers & AsyncDisposable {
  const servers = createToolServers({
    outbound: createOutboundClient({
      allow: { cidrs: [], hosts: [] },
      clock: systemClock,
      log: quietLogger,
      userAgent: 'svc/test',
    }),
    environment: process.env,
    cwd: process.cwd(),
    version: '1.0.0',
    sizes: createProcessStats({ clock: systemClock }),
    clock: systemClock,
    logger: quietLogger,
    signInFile: '/nonexistent/sign-ins',
    signInKey: () => new Uint8Array(32),
    ...options,
  })
  return Object.assign(Object.create(servers) as McpServers, { [Symbol.asyncDispose]: () => servers.close() })
}

/** A model whose file names servers. */
export function modelWith(mcp: { readonly remote?: unknown; readonly stdio?: unknown }, name = 'm'): ModelConfig {
  const toText = (servers: unknown) => (servers === undefined ? {} : JSON.stringify({ mcpServers: servers }))
  const texts = Object.entries(mcp).map(([kind, servers]) => [kind, toText(servers)])
  // The rest of a model has no meaning for servers.
  return { name, mcp: Object.fromEntries(texts) } as unknown as ModelConfig
}

/** The context of a request. */
export const CONTEXT = { requestId: 'r1', principal: { id: 'u1' } } as unknown as RequestContext

/** A signal that does not abort. */
export const NEVER: AbortSignal = new AbortController().signal
