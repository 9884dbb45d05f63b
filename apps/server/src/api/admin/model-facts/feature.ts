import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { measureWeights } from '../../../residency/model-size.ts'
import { modelFactRoutes } from './routes.ts'

/** Facts about models for pages. */
export function modelFactsFeature({ modelFiles, backends, operations }: Platform): ServerFeature {
  return {
    routes: modelFactRoutes({
      modelFiles,
      measureWeights,
      backendNames: () => backends.catalog.names(),
      loading: () => backends.residency.watched().flatMap(({ name, state }) => (state === 'loading' ? [name] : [])),
      operations: () => operations.list(),
    }),
  }
}
