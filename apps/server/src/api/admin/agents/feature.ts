import { join } from 'node:path'
import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { actionRoutes } from './action-routes.ts'
import { agentRoutes } from './agent-routes.ts'
import { chatRoutes } from './chat-routes.ts'
import { executeRoutes } from './execute-routes.ts'
import { fileRoute } from './file-route.ts'
import { jobRoutes } from './job-routes.ts'
import { taskRoutes } from './task-routes.ts'

/** Folder of the files of agents in the data path. */
const FOLDER = 'agents'

/** Agents, tasks and jobs. Without them their routes are absent. */
export function agentsFeature({
  agents,
  bodies,
  forms,
  clock,
  config,
  settings,
  compression,
}: Platform): ServerFeature {
  if (!agents.isEnabled) return { routes: [] }
  const parts = { open: agents.open, bodies, clock }
  const streams = { clock, compression, opaqueErrors: config.opaqueErrors }
  const folder = config.agentPoolStateDir ?? join(config.dataPath, FOLDER)
  return {
    routes: [
      // Before the paths with a name in the same place.
      ...actionRoutes(),
      ...agentRoutes({ ...parts, forms, hubUrl: () => settings.get('agent_pool_agent_hub_url') }),
      ...chatRoutes({ ...parts, streams }),
      fileRoute({ ...parts, folder, compression }),
      ...taskRoutes(parts),
      ...executeRoutes(parts),
      ...jobRoutes(parts),
    ],
    start: () => agents.resume(),
    // Jobs under way are taken over by the next start. Their models stop soon.
    drain: () => agents.close(),
  }
}
