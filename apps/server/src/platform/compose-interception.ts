import { randomBytes } from 'node:crypto'
import type { LookupFunction } from 'node:net'
import type { WayOut } from '@svc/http-client'
import {
  type CaStore,
  createCaFolder,
  type HostPolicy,
  type Listener,
  type MitmProxy,
  openAuthority,
  startMitmProxy,
} from '@svc/mitm'
import type { Registry } from 'prom-client'
import type { AuditSink } from '../audit/audit-event.ts'
import type { Environment } from '../backends/child-environment.ts'
import type { ListenAddress } from '../config/places.ts'
import type { ServerConfig } from '../config/schema.ts'
import { createBodyFilter } from '../interception/body-filter.ts'
import type { ClaimSource } from '../interception/claim-source.ts'
import { createHostPolicy } from '../interception/host-policy.ts'
import type { StartedProxy } from '../interception/listener-switch.ts'
import { createInterceptionMetrics } from '../interception/metrics.ts'
import { createEventRecorder } from '../interception/record-events.ts'
import { readTrustedAuthorities } from '../interception/trusted-authorities.ts'
import type { RequestFilter } from '../pii/request-filter.ts'
import type { Logger } from '../ports.ts'

/** Options of {@link composeInterception}. */
export interface InterceptionParts {
  readonly config: Pick<ServerConfig, 'mitmExtraCa' | 'mitmStrict' | 'address' | 'pprof' | 'pprofAddress'>
  /** The folder of the authority. */
  readonly caFolder: string
  /** Joins the authority of the folder with the one of other front ends. @default it is of this server alone */
  readonly shareAuthority?: ((local: CaStore) => CaStore) | undefined
  readonly environment: Environment
  /** The authorities of the system, PEM. @default those of Node */
  readonly ca: string | undefined
  readonly wayOut: WayOut
  readonly claims: ClaimSource
  /** The filter of the server; the first request loads it. */
  readonly openFilter: () => Promise<Pick<RequestFilter, 'filterBody'>>
  /** The port of this server; undefined before it listens. */
  readonly ownPort: () => number | undefined
  readonly audit: AuditSink
  readonly registry: Registry
  /** The figures of the running proxy; undefined while none runs. */
  readonly counts: () => MitmProxy['counts'] | undefined
  /** Resolves the names of hosts. @default the system's resolver */
  readonly lookup: LookupFunction | undefined
  readonly logger: Logger
}

/** Opens where the authority is kept. */
export function openCaStore({
  caFolder,
  shareAuthority = (local) => local,
}: Pick<InterceptionParts, 'caFolder' | 'shareAuthority'>): CaStore {
  return shareAuthority(createCaFolder(caFolder))
}

/** Composes the intercepting proxy. @returns a function that starts a listener */
export function composeInterception(parts: InterceptionParts): (address: ListenAddress) => Promise<StartedProxy> {
  const { config, claims, openFilter, audit, logger } = parts
  const metrics = createInterceptionMetrics(parts.registry, parts.counts)
  const policy: HostPolicy = createHostPolicy({
    claims,
    toFilter: (rules) => createBodyFilter({ policy: rules, openFilter }),
    logger,
  })
  return async (address) => {
    const [authority, trustedAuthorities] = await Promise.all([
      openAuthority({ store: openCaStore(parts) }),
      readTrustedAuthorities({
        system: parts.ca,
        environment: parts.environment,
        extraFile: config.mitmExtraCa,
      }),
    ])
    const proxy = await listenAt(address, (host) =>
      startMitmProxy({
        authority,
        policy,
        address: host,
        port: address.port,
        trustedAuthorities,
        strict: config.mitmStrict,
        ownListeners: () => listOwnListeners(parts),
        lookup: parts.lookup,
        wayOut: parts.wayOut,
        onEvent: createEventRecorder({
          listenerId: `mitm-${randomBytes(4).toString('hex')}`,
          events: audit,
          metrics,
          logger,
        }),
      }),
    )
    return { proxy, authority }
  }
}

/** Starts a listener. Without a host it binds every address, of both families where the machine has both. */
async function listenAt<Started>({ host }: ListenAddress, start: (host: string) => Promise<Started>): Promise<Started> {
  if (host !== undefined) return start(host)
  try {
    return await start('::')
  } catch (error) {
    const { code } = (error instanceof Error ? (error.cause ?? {}) : {}) as { readonly code?: string }
    if (code !== 'EAFNOSUPPORT' && code !== 'EADDRNOTAVAIL') throw error
    return start('0.0.0.0')
  }
}

/** The other listeners of this server. */
function listOwnListeners({ config, ownPort }: InterceptionParts): Listener[] {
  const port = ownPort()
  const own = port === undefined ? [] : [{ host: config.address.host, port }]
  return [...own, ...(config.pprof ? [config.pprofAddress] : [])].map(({ host = '::', port: at }) => ({
    address: host,
    port: at,
  }))
}
