import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { scoreRoutes } from './routes.ts'

/** Scores texts. */
export function scoreFeature({ inferenceRoutes }: Platform): ServerFeature {
  return { routes: scoreRoutes(inferenceRoutes) }
}
