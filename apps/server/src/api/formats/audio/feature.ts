import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { hearingRoutes } from './hearing-routes.ts'
import { speakingRoutes } from './speaking-routes.ts'

/** Hears recordings, speaks and makes sounds. */
export function audioFeature({ inferenceRoutes }: Platform): ServerFeature {
  return { routes: [...hearingRoutes(inferenceRoutes), ...speakingRoutes(inferenceRoutes)] }
}
