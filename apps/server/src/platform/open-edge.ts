import { createEdge, type Edge } from '../http/edge.ts'
import { createGate } from '../http/middleware/authorize.ts'
import { trustedProxies } from '../http/middleware/client-address.ts'
import { corsPolicy } from '../http/middleware/cors.ts'
import { hostPolicy } from '../http/middleware/host.ts'
import type { Closers } from './closers.ts'
import type { Platform } from './platform.ts'

/** Creates the HTTP edge. It follows the settings of keys and of other origins. */
export function openEdge(platform: Platform, closers: Closers): Edge {
  const { config, settings, authenticator, bodies, compression, metrics, clock, log } = platform
  const host = hostPolicy(config.externalBaseUrl, config.allowedHosts)
  const createCors = (): ReturnType<typeof corsPolicy> =>
    corsPolicy({ allowOrigins: settings.get('cors_allow_origins'), authConfigured: authenticator.configured })
  let cors = createCors()
  const edge = createEdge({
    gate: createGate(authenticator, {
      pathWithoutAuth: config.pathWithoutAuth,
      getExemptions: config.disableApiKeyRequirementForHttpGet ? config.httpGetExemptedEndpoints : [],
    }),
    cors: () => cors,
    host: () => (authenticator.configured ? undefined : host),
    proxies: trustedProxies(config.trustedProxies),
    baseUrl: config.externalBaseUrl,
    compression,
    machineTag: config.machineTag,
    opaqueErrors: config.opaqueErrors,
    bodies,
    metrics,
    clock,
    log,
  })
  closers.push(
    settings.subscribe((changed) => {
      cors = createCors()
      if (changed.has('api_keys')) edge.reauthorize()
    }),
  )
  return edge
}
