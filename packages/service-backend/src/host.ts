import { type ModelOptions, StatusResponse_State } from '@svc/backend-client/proto'
import { type BackendHandlers, createModelHost, type Log } from '@svc/backend-kit'
import { parseOptions } from '@svc/backend-kit/options'
import { SvcError } from '@svc/errors'
import type { Upstream } from '@svc/http-client'
import type { SecretReader } from '@svc/proxy'
import { createSocketOpener } from './live-socket.ts'
import type { OpenLiveSocket } from './service/live-transcription.ts'
import { createService, type Service } from './service/service.ts'
import { loadServiceTarget } from './service/target.ts'
import { sleep } from './sleep.ts'

/** What the handlers need. */
export interface ServiceContext {
  readonly upstream: Pick<Upstream, 'send'>
  readonly secrets: SecretReader
  /** Certificates that WebSockets trust, as the upstream client does, PEM. @default Node's own */
  readonly ca?: string | undefined
  readonly log: Log
  /** Refuses addresses that the host does not want asked, such as its own. @throws {SvcError} */
  readonly checkUpstream?: ((url: URL) => Promise<void>) | undefined
}

/** The one model of this process. */
export interface ServiceHost {
  readonly log: Log
  /** LoadModel and Free, one after the other, and Status. */
  readonly handlers: Required<Pick<BackendHandlers, 'loadModel' | 'free' | 'status'>>
  /** The model for a call that is meant for `identity`; empty means any. @throws `model_not_loaded`, `model_identity_mismatch` */
  use(identity: string): Service
}

/** A process without a model so far. */
export function createServiceHost(context: ServiceContext): ServiceHost {
  const open = createSocketOpener(context.ca)
  const host = createModelHost(async (request) => {
    const service = await toService(request, { ...context, open })
    // No load is like another: each reads its key anew.
    return { key: Symbol(request.Model), open: async () => ({ service, close: async () => {} }) }
  })
  return {
    log: context.log,
    handlers: {
      ...host.handlers,
      status: () => ({
        state: host.current === undefined ? StatusResponse_State.UNINITIALIZED : StatusResponse_State.READY,
        memory: { total: BigInt(process.memoryUsage.rss()) },
      }),
    },
    use: (identity) => host.use(identity).service,
  }
}

/** @throws {SvcError} `invalid_proxy_settings` */
async function toService(
  { Model: identity, Proxy: settings, Options: options }: ModelOptions,
  { upstream, secrets, log, checkUpstream, open }: ServiceContext & { readonly open: OpenLiveSocket },
): Promise<Service> {
  if (settings === undefined) {
    throw new SvcError('invalid_request', 'proxy: is needed', { code: 'invalid_proxy_settings' })
  }
  const target = await loadServiceTarget(
    // The contract has no field for the pipeline.
    { ...settings, realtimePipeline: parseOptions(options).get('realtime_pipeline') },
    { name: identity, secrets, warn: (message) => log.warn(message) },
  )
  await checkUpstream?.(target.root)
  // The contract does not tell the name that the model has in the host's own list.
  if (target.model === '') {
    throw new SvcError('invalid_request', 'proxy.upstream_model: is needed where the model has no name', {
      code: 'invalid_proxy_settings',
    })
  }
  return createService({ target, upstream, live: { open, clock: { sleep } } })
}
