import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { failoverRoutes } from './routes.ts'

/** Shows failover groups, pins their targets, and streams their changes. */
export function failoverFeature({ config, clock, models, inference, bodies, compression }: Platform): ServerFeature {
  const { opaqueErrors } = config
  return {
    routes: failoverRoutes({
      models,
      open: async () => (await inference.open()).failover,
      clock,
      bodies,
      compression,
      opaqueErrors,
    }),
    modelsChanged: (names) => inference.opened()?.failover.follow(names),
    drain: () => inference.opened()?.failover.watch.end(),
  }
}
