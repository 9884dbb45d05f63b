import type { ServerFeature } from '../../../features/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { failoverRoutes } from './routes.ts'

/** Shows failover groups, pins their targets, and streams their changes. */
export function failoverFeature({ config, clock, models, inference, bodies, compression }: Platform): ServerFeature {
  const { groups, watch, follow } = inference.failover
  const { opaqueErrors } = config
  return {
    routes: failoverRoutes({ models, groups, watch, clock, bodies, compression, opaqueErrors }),
    modelsChanged: (names) => follow(names),
    drain: () => watch.end(),
  }
}
