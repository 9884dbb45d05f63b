import type { AdministrationChange } from '../audit/changes.ts'
import type { Call } from '../http/call.ts'
import { createEdge, type Edge } from '../http/edge.ts'
import { followRights } from '../http/follow-rights.ts'
import { createGate, type GateOptions } from '../http/middleware/authorize.ts'
import { trustedProxies } from '../http/middleware/client-address.ts'
import { corsPolicy } from '../http/middleware/cors.ts'
import { hostPolicy } from '../http/middleware/host.ts'
import type { MadeChange } from '../http/route-audit.ts'
import { createSessionRenewal } from '../http/session-cookies.ts'
import type { Closers } from './closers.ts'
import type { Platform } from './platform.ts'

/** Creates the HTTP edge. It follows the settings, and the rights of callers. */
export async function openEdge(platform: Platform, closers: Closers): Promise<Edge> {
  const { config, bus, settings, accounts, authenticator, bodies, compression, metrics, changes, tunnels, clock, log } =
    platform
  const host = hostPolicy(config.externalBaseUrl, config.allowedHosts)
  const createCors = (): ReturnType<typeof corsPolicy> =>
    corsPolicy({
      // The switch by itself allows every origin.
      allowOrigins: settings.get('cors_allow_origins') || (settings.get('cors') ? '*' : ''),
      authConfigured: authenticator.isConfigured,
    })
  let cors = createCors()
  const edge = createEdge({
    gate: createGate(authenticator, {
      pathWithoutAuth: config.pathWithoutAuth,
      checkNode: config.distributed ? await openRegistrationGate(config.registrationToken) : undefined,
      isExempt: config.disableApiKeyRequirementForHttpGet
        ? await readExemptions(config.httpGetExemptedEndpoints)
        : undefined,
    }),
    cors: () => cors,
    host,
    checksHost: () => !authenticator.isConfigured,
    refusesCrossSite: () => settings.get('csrf'),
    renewSession: createSessionRenewal(accounts.auth.sessions),
    recordChange: (call, change) => changes.record(toAdministrationChange(call, change)),
    proxies: trustedProxies(config.trustedProxies),
    tunnels,
    baseUrl: config.externalBaseUrl,
    compression,
    machineTag: config.machineTag,
    opaqueErrors: config.opaqueErrors,
    bodies,
    metrics,
    clock,
    log,
  })
  const following = followRights({
    bus,
    reauthorize: (revocation) => edge.reauthorize(revocation),
    endExpired: () => edge.endExpired(),
    clock,
  })
  closers.push(
    bus.subscribe('settings.changed', () => {
      cors = createCors()
    }),
    () => following.close(),
  )
  return edge
}

async function readExemptions(expressions: readonly string[]): Promise<(pattern: string) => boolean> {
  const { compileExemptions } = await import('../http/middleware/exemptions.ts')
  return compileExemptions(expressions)
}

/** A change of a call, with the caller and the place that it comes from. */
function toAdministrationChange(
  { principal, requestId, clientAddress: address }: Call,
  { change, outcome, ...notes }: MadeChange,
): AdministrationChange {
  const { id, name, role, via, account, apiKey } = principal
  return {
    kind: role === 'admin' ? 'administration' : 'account',
    origin: 'api',
    change,
    correlationId: requestId,
    userId: id,
    actor: account?.email ?? name,
    via,
    address,
    ...(apiKey === undefined ? {} : { keyId: apiKey.id }),
    ...notes,
    failed: outcome === 'failed',
  }
}

/** The check of workers. Only a distributed server loads it. */
async function openRegistrationGate(token = ''): Promise<GateOptions['checkNode']> {
  const { createRegistrationGate } = await import('../cluster/nodes/registration-gate.ts')
  return createRegistrationGate(token)
}
