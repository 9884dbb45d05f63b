import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { measureWeights } from '../../../residency/model-size.ts'
import { modelFactRoutes } from './routes.ts'

/** Facts about models for pages. */
export function modelFactsFeature({ modelFiles, backends, operations, cluster, database }: Platform): ServerFeature {
  return {
    routes: modelFactRoutes({
      modelFiles,
      measureWeights,
      backendNames: () => backends.catalog.names(),
      loading: () => backends.residency.watched().flatMap(({ name, state }) => (state === 'loading' ? [name] : [])),
      operations: () => operations.list(),
      loadsOnWorkers:
        cluster &&
        (async (model) => {
          const { createLoadJobs } = await import('../../../cluster/loads/load-jobs.ts')
          return createLoadJobs(database).list(model)
        }),
    }),
  }
}
