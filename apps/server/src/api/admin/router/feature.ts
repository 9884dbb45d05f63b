import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { routerRoutes } from './routes.ts'

/** The routers: their state, their decisions, their corpora. */
export function routerFeature({ inference, bodies }: Platform): ServerFeature {
  return { routes: routerRoutes({ open: async () => (await inference.open()).routing, bodies }) }
}
