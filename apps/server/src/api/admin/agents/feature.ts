import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { executeRoutes } from './execute-routes.ts'
import { jobRoutes } from './job-routes.ts'
import { taskRoutes } from './task-routes.ts'

/** Agents, tasks and jobs. Without them their routes are absent. */
export function agentsFeature({ agents, bodies, clock }: Platform): ServerFeature {
  if (!agents.isEnabled) return { routes: [] }
  const parts = { open: agents.open, bodies, clock }
  return {
    routes: [...taskRoutes(parts), ...executeRoutes(parts), ...jobRoutes(parts)],
    start: () => agents.resume(),
    // Jobs under way are taken over by the next start. Their models stop soon.
    drain: () => agents.close(),
  }
}
