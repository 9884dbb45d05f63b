import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { tokenizeRoutes } from './routes.ts'

/** Splits texts into tokens and back. */
export function tokenizeFeature({ inferenceRoutes }: Platform): ServerFeature {
  return { routes: tokenizeRoutes(inferenceRoutes) }
}
