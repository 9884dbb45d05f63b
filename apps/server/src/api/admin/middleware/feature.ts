import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { middlewareRoute } from './status.ts'

/** Shows the filters, routers and limits of requests. */
export function middlewareFeature({ models, settings, audit, inference, interception }: Platform): ServerFeature {
  return {
    routes: [
      middlewareRoute({
        models: () => models.list(),
        defaultDetectors: () => settings.get('pii_default_detectors'),
        countEvents: () => audit.count(),
        interception,
        async routerStatus(signal) {
          const { admin, decisions } = (await inference.open()).routing
          const { toRouterStatus } = await import('../router/to-wire.ts')
          return toRouterStatus(await admin.list({ signal }), decisions.size)
        },
        inFlight: (model) => inference.opened()?.inFlight(model) ?? 0,
      }),
    ],
  }
}
