import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { priceRoutes } from './routes.ts'

/** Shows and replaces the price list. */
export function pricesFeature({ prices, models, bodies, clock }: Platform): ServerFeature {
  return { routes: priceRoutes({ prices, listModels: () => models.list(), bodies, clock }) }
}
