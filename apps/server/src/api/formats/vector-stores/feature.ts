import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { fileRoutes } from '../files/routes.ts'
import { vectorStoreRoutes } from './routes.ts'

/** Files that users upload, and vector stores in which their texts are found. */
export function documentsFeature(platform: Platform): ServerFeature {
  const { documents } = platform
  return {
    routes: [...fileRoutes(platform), ...vectorStoreRoutes(platform)],
    start: () => documents.resume(),
    // Files under way are indexed anew by the next start. Their models stop soon.
    drain: () => documents.close(),
  }
}
