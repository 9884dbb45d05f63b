import { createHttpUpstream, createWayOut, type HttpUpstream, readTrustStore, type WayOut } from '@svc/http-client'
import type { SecretReader } from '@svc/proxy'
import type { Environment } from '../backends/child-environment.ts'
import type { ServerConfig } from '../config/schema.ts'
import { type CheckUpstream, createUpstreamCheck } from '../inference/serving/upstream/own-address.ts'
import { createSecrets } from '../inference/serving/upstream/secrets.ts'
import type { KeyFiles } from '../key-files/key-files.ts'
import { createOutboundClient, type OutboundClient } from '../outbound/client.ts'
import { toAllowList } from '../outbound/target.ts'
import type { Clock, Logger } from '../ports.ts'
import type { Settings } from '../settings/settings.ts'
import type { Closers } from './closers.ts'

/** Options of {@link openUpstreams}. */
export interface UpstreamsOptions {
  readonly config: ServerConfig
  readonly settings: Pick<Settings, 'get'>
  readonly environment: Environment
  /** `User-Agent` of requests to other servers. */
  readonly userAgent: string
  readonly keyFiles: KeyFiles
  /** The port of this server; undefined before it listens. */
  readonly ownPort: () => number | undefined
  readonly clock: Clock
  readonly log: Logger
}

/** Access to upstreams. */
export interface OpenUpstreams {
  /** Fetches everything but replies of models. */
  readonly outbound: OutboundClient
  readonly upstream: HttpUpstream
  /** Additional certificate authorities, PEM. */
  readonly ca: string | undefined
  /** Says which other machines are reached through a proxy. */
  readonly wayOut: WayOut
  readonly secrets: SecretReader
  /** Refuses an upstream that is this server. */
  readonly checkUpstream: CheckUpstream
}

/** Reads the trust store and opens the client of upstreams. */
export async function openUpstreams(options: UpstreamsOptions, closers: Closers): Promise<OpenUpstreams> {
  const { config, settings, environment, userAgent, keyFiles, ownPort, clock, log } = options
  const ca = await readTrustStore({
    environment,
    onEmpty: (variable, file) => log.warn({ file }, `${variable} holds no certificates`),
  })
  const wayOut = createWayOut(() => ({
    https: settings.get('https_proxy'),
    http: settings.get('http_proxy'),
    no: settings.get('no_proxy'),
  }))
  const upstream = createHttpUpstream({ ca, wayOut })
  closers.push(() => upstream.close())
  const allow = toAllowList(config.contentUrlAllow)
  const outbound = createOutboundClient({ allow, clock, log, userAgent, ca, wayOut })
  const checkUpstream = createUpstreamCheck({
    host: config.address.host,
    port: ownPort,
    baseUrl: config.externalBaseUrl,
    clock,
  })
  return { upstream, outbound, ca, wayOut, secrets: createSecrets(environment, keyFiles), checkUpstream }
}
