import { readDeviceMemory } from '../../../monitoring/drm-vram.ts'
import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { ollamaLibraryRoutes } from './library/routes.ts'
import { ollamaRootRoute } from './root.ts'
import { ollamaRoutes } from './routes.ts'

/** The format of the alternate ecosystem. */
export function ollamaFeature(platform: Platform): ServerFeature {
  const { config, clock, models, modelFiles, modelGallery, operations, backends, bodies, compression } = platform
  const { keyFileGate, places } = platform
  const { residency, keepAlive } = backends
  return {
    routes: [
      ...(config.ollamaApiRootEndpoint ? [ollamaRootRoute()] : []),
      ...ollamaRoutes(
        {
          directory: models,
          loaded: () => residency.loaded(),
          readVram: (pid) => readDeviceMemory(pid),
          keepAlive,
          clock,
        },
        { ...platform.inferenceRoutes, bodies },
      ),
      ...(config.disableGalleryEndpoint
        ? []
        : ollamaLibraryRoutes({
            operations,
            modelFiles,
            bodies,
            compression,
            directory: models,
            gallery: modelGallery,
            modelsPath: config.modelsPath,
            keyFileGate,
            places,
          })),
    ],
  }
}
