import type { ServerFeature } from '../../../features/feature.ts'
import { readDeviceMemory } from '../../../monitoring/drm-vram.ts'
import type { Platform } from '../../../platform/platform.ts'
import { ollamaRootRoute } from './root.ts'
import { ollamaRoutes } from './routes.ts'

/** The format of the alternate ecosystem. */
export function ollamaFeature({ config, clock, models, backends, bodies, inferenceRoutes }: Platform): ServerFeature {
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
        { ...inferenceRoutes, bodies },
      ),
    ],
  }
}
