import type { ServerFeature } from '../../platform/feature.ts'
import type { Platform } from '../../platform/platform.ts'
import { generatedFileRoutes } from './routes.ts'

/** Serves the files that models made. */
export function generatedFilesFeature(platform: Platform): ServerFeature {
  return { routes: generatedFileRoutes(platform) }
}
