import { createHttpUpstream, type HttpUpstream, readTrustStore } from '@svc/http-client'
import type { SecretReader } from '@svc/proxy'
import type { Environment } from '../backends/child-environment.ts'
import type { ServerConfig } from '../config/schema.ts'
import { type CheckUpstream, createUpstreamCheck } from '../inference/upstream/own-address.ts'
import { createSecrets } from '../inference/upstream/secrets.ts'
import type { KeyFiles } from '../key-files/key-files.ts'
import type { Clock, Logger } from '../ports.ts'
import type { Closers } from './closers.ts'

/** Options of {@link openUpstreams}. */
export interface UpstreamsOptions {
  readonly config: ServerConfig
  readonly environment: Environment
  readonly keyFiles: KeyFiles
  /** The port of this server; undefined before it listens. */
  readonly ownPort: () => number | undefined
  readonly clock: Clock
  readonly log: Logger
}

/** Access to upstreams. */
export interface OpenUpstreams {
  readonly upstream: HttpUpstream
  /** Additional certificate authorities, PEM. */
  readonly ca: string | undefined
  readonly secrets: SecretReader
  /** Refuses an upstream that is this server. */
  readonly checkUpstream: CheckUpstream
}

/** Reads the trust store and opens the client of upstreams. */
export async function openUpstreams(options: UpstreamsOptions, closers: Closers): Promise<OpenUpstreams> {
  const { config, environment, keyFiles, ownPort, clock, log } = options
  const ca = await readTrustStore({
    environment,
    onEmpty: (variable, file) => log.warn({ file }, `${variable} holds no certificates`),
  })
  const upstream = createHttpUpstream({ ca })
  closers.push(() => upstream.close())
  const checkUpstream = createUpstreamCheck({
    host: config.address.host,
    port: ownPort,
    baseUrl: config.externalBaseUrl,
    clock,
  })
  return { upstream, ca, secrets: createSecrets(environment, keyFiles), checkUpstream }
}
