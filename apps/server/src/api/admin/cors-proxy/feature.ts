import type { ServerFeature } from '../../../features/feature.ts'
import { createOutboundClient, type OutboundClient } from '../../../outbound/client.ts'
import { toAllowList } from '../../../outbound/target.ts'
import type { Platform } from '../../../platform/platform.ts'
import { corsProxyRoutes } from './routes.ts'

/** Fetches public pages for the pages of this server. */
export function corsProxyFeature({ config, version, ca, bodies, clock, log }: Platform): ServerFeature {
  let client: OutboundClient | undefined
  return {
    routes: corsProxyRoutes({
      bodies,
      client() {
        client ??= createOutboundClient({
          allow: toAllowList(config.contentUrlAllow),
          clock,
          log,
          userAgent: `svc/${version.split(' ', 1)[0]}`,
          ca,
        })
        return client
      },
    }),
  }
}
