import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { backendRoutes } from './routes.ts'

/** Loads and stops models on request. */
export function backendFeature({ config, models, backends, bodies }: Platform): ServerFeature {
  const { residency, sizes } = backends
  const { opaqueErrors } = config
  return {
    routes: backendRoutes({ models, residency, readProcess: (pid) => sizes.read(pid), bodies, opaqueErrors }),
  }
}
