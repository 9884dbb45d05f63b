import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { skillRoutes } from './routes.ts'

/** Skills of agents. They are absent without agents. */
export function skillsFeature(platform: Platform): ServerFeature {
  return platform.config.disableAgents ? {} : { routes: skillRoutes(platform) }
}
