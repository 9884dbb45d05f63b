import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { imageRoutes } from './routes.ts'

/** Makes images and films, and finds objects in images. */
export function imagesFeature({ inferenceRoutes, generatedFiles }: Platform): ServerFeature {
  return { routes: imageRoutes({ ...inferenceRoutes, generatedFiles }) }
}
