import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { storeRoutes } from './routes.ts'

/** Vector stores: those of this process, and those of models. */
export function storesFeature({ inferenceRoutes, models, vectorStores, settings, log }: Platform): ServerFeature {
  return {
    routes: storeRoutes({ ...inferenceRoutes, models }),
    settingsChanged(changed) {
      if (changed.has('stores_persist')) {
        vectorStores
          .follow(settings.get('stores_persist'))
          .catch((error: unknown) => log.error({ err: error }, 'the files of vector stores could not be changed'))
      }
    },
  }
}
