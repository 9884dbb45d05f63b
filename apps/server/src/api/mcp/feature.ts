import { createLazy } from '../../concurrency/lazy.ts'
import type { ServerFeature } from '../../platform/feature.ts'
import type { Platform } from '../../platform/platform.ts'
import { SESSION_LIMITS } from './limits.ts'
import { mcpRoutes } from './routes.ts'

/** Tools of a session that run at the same time. */
const MAX_RUNNING = 8

/** The tools of the assistant over the Model Context Protocol. */
export function mcpFeature({ assistant, version, bodies, compression, clock, log }: Platform): ServerFeature {
  const protocol = createLazy(async () => {
    const [{ createSessions }, { createMcpServer }, { serveMcp, readCaller }, toolsOf] = await Promise.all([
      import('./sessions.ts'),
      import('../../assistant/mcp-server.ts'),
      import('./serve-mcp.ts'),
      assistant.open(),
    ])
    const createServer = () =>
      createMcpServer({ version, maxRunning: MAX_RUNNING, toolsOf: (authInfo) => toolsOf(readCaller(authInfo)) })
    const sessions = createSessions({ limits: SESSION_LIMITS, createServer, clock, logger: log })
    return { sessions, serveMcp }
  })
  const closeSessions = (): void => protocol.opened()?.sessions.closeAll()
  return {
    routes: mcpRoutes({
      isOn: assistant.isOn,
      async serve(call) {
        const { sessions, serveMcp } = await protocol.open()
        return serveMcp(call, { sessions, bodies, compression })
      },
    }),
    settingsChanged() {
      if (!assistant.isOn()) closeSessions()
    },
    drain: closeSessions,
  }
}
