import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { corsProxyRoutes } from './routes.ts'

/** Fetches public pages for the pages of this server. */
export function corsProxyFeature({ bodies, outbound }: Platform): ServerFeature {
  return { routes: corsProxyRoutes({ bodies, client: outbound }) }
}
