import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { messagesRoutes } from './routes.ts'

/** The messages format. */
export function messagesFeature({ inferenceRoutes }: Platform): ServerFeature {
  return { routes: messagesRoutes(inferenceRoutes) }
}
