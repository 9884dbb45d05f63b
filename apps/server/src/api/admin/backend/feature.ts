import type { ShutdownModel } from '../../../cluster/reconcile/shutdown-model.ts'
import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { backendRoutes } from './routes.ts'

/** Loads and stops models on request. */
export function backendFeature(platform: Platform): ServerFeature {
  const { config, models, backends, bodies, cluster } = platform
  const { residency, sizes } = backends
  const { opaqueErrors } = config
  const readProcess = (pid: number) => sizes.read(pid)
  const shutdownModel = cluster && createShutdown(platform, cluster)
  return { routes: backendRoutes({ models, residency, readProcess, bodies, opaqueErrors, shutdownModel }) }
}

/** Loaded with the first shutdown: most servers have no workers. */
function createShutdown(
  { config, database, clock }: Pick<Platform, 'config' | 'database' | 'clock'>,
  { messenger }: NonNullable<Platform['cluster']>,
): ShutdownModel {
  return async (model, options) => {
    const [{ createModelShutdown }, { createReplicaStore }] = await Promise.all([
      import('../../../cluster/reconcile/shutdown-model.ts'),
      import('../../../cluster/loads/replica-store.ts'),
    ])
    const [replicas, cutsBusy] = [createReplicaStore(database), config.forceBackendShutdown]
    return createModelShutdown({ replicas, database, messenger, clock, cutsBusy })(model, options)
  }
}
