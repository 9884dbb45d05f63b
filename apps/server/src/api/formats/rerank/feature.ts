import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { rerankRoutes } from './routes.ts'

/** Ranks documents. */
export function rerankFeature({ inferenceRoutes }: Platform): ServerFeature {
  return { routes: rerankRoutes(inferenceRoutes) }
}
