import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { mcpRoutes } from './routes.ts'

/** Shows the MCP servers of models. */
export function mcpFeature({ config, models, bodies, toolServers }: Platform): ServerFeature {
  if (config.disableMcp) return {}
  return { routes: mcpRoutes({ models, bodies, open: toolServers.open }) }
}
