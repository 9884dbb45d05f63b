import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { hearingRoutes } from './hearing-routes.ts'

/** Hears recordings. */
export function audioFeature({ inferenceRoutes }: Platform): ServerFeature {
  return { routes: hearingRoutes(inferenceRoutes) }
}
