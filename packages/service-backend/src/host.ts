import { type ModelOptions, StatusResponse_State } from '@svc/backend-client/proto'
import { type BackendHandlers, createModelHost, type Log } from '@svc/backend-kit'
import { parseOptions, readWord } from '@svc/backend-kit/options'
import { SvcError } from '@svc/errors'
import type { Upstream, WayOut } from '@svc/http-client'
import type { SecretReader } from '@svc/proxy'
import { createSocketOpener } from './live-socket.ts'
import type { OpenLiveSocket } from './service/live-transcription.ts'
import { createService, type Service } from './service/service.ts'
import { loadServiceTarget, UPSTREAM_APIS } from './service/target.ts'
import { sleep } from './sleep.ts'

/** Dependencies of the handlers. */
export interface ServiceContext {
  readonly upstream: Pick<Upstream, 'send'>
  readonly secrets: SecretReader
  /** Authorities that WebSockets trust, PEM, as the upstream client does. @default Node's own */
  readonly ca?: string | undefined
  /** Says which WebSockets go through a proxy, as the upstream client does. @default none */
  readonly wayOut?: WayOut | undefined
  readonly log: Log
  /** Refuses addresses that the host forbids, such as its own. @throws {SvcError} */
  readonly checkUpstream?: ((url: URL) => Promise<void>) | undefined
}

/** The one model of this process. */
export interface ServiceHost {
  readonly log: Log
  /** LoadModel and Free, in order, and Status. */
  readonly handlers: Required<Pick<BackendHandlers, 'loadModel' | 'free' | 'status'>>
  /**
   * Returns the model for a call that is meant for `identity`; empty means any. @throws `model_not_loaded`,
   * `model_identity_mismatch`
   */
  use(identity: string): Service
}

/** Creates a process without a model. */
export function createServiceHost(context: ServiceContext): ServiceHost {
  const open = createSocketOpener(context.ca, context.wayOut)
  const host = createModelHost(async (request) => {
    const service = await toService(request, { ...context, open })
    // Every load has a key of its own, because each reads the upstream's key again.
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
  const given = parseOptions(options)
  const target = await loadServiceTarget(
    // The contract has no fields for these.
    { ...settings, realtimePipeline: given.get('realtime_pipeline'), api: readWord(given, ['api'], UPSTREAM_APIS) },
    { name: identity, secrets, warn: (message) => log.warn(message) },
  )
  await checkUpstream?.(target.root)
  // The contract does not carry the model's name in the host's own list.
  if (target.model === '') {
    throw new SvcError('invalid_request', 'proxy.upstream_model: is needed where the model has no name', {
      code: 'invalid_proxy_settings',
    })
  }
  return createService({ target, upstream, live: { open, clock: { sleep } } })
}
