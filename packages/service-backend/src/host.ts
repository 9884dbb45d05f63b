import type { ModelOptions } from '@svc/backend-client/proto'
import { assertModelIdentity, type Log, modelNotLoaded, parseOptions } from '@svc/backend-kit'
import { SvcError } from '@svc/errors'
import { createService, loadServiceTarget, type SecretReader, type Service, type Upstream } from '@svc/proxy'
import { openWebSocket } from './live-socket.ts'
import { sleep } from './sleep.ts'

/** What the handlers need. */
export interface ServiceContext {
  readonly upstream: Pick<Upstream, 'send'>
  readonly secrets: SecretReader
  readonly log: Log
  /** Refuses addresses that the host does not want asked, such as its own. @throws {SvcError} */
  readonly checkUpstream?: ((url: URL) => Promise<void>) | undefined
}

/** The one model of this process. */
export interface ServiceHost {
  readonly log: Log
  readonly isLoaded: boolean
  /** The model for a call that is meant for `identity`; empty means any. @throws `model_not_loaded`, `model_identity_mismatch` */
  use(identity: string): Service
  /** @throws {SvcError} `invalid_proxy_settings` */
  load(request: ModelOptions): Promise<void>
  unload(): void
}

/** A process without a model so far. */
export function createServiceHost({ upstream, secrets, log, checkUpstream }: ServiceContext): ServiceHost {
  let loaded: { readonly identity: string; readonly service: Service } | undefined
  return {
    log,
    get isLoaded() {
      return loaded !== undefined
    },
    use: (identity) => {
      if (loaded === undefined) throw modelNotLoaded()
      assertModelIdentity(identity, loaded.identity)
      return loaded.service
    },
    load: async ({ Model: identity, Proxy: settings, Options: options }) => {
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
      const live = { open: openWebSocket, clock: { sleep } }
      loaded = { identity, service: createService({ target, upstream, live }) }
    },
    unload: () => {
      loaded = undefined
    },
  }
}
