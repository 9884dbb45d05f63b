import { type ModelOptions, StatusResponse_State } from '@svc/backend-client/proto'
import type { BackendHandlers, Log } from '@svc/backend-kit'
import { SvcError } from '@svc/errors'
import type { Upstream } from '@svc/http-client'
import { loadCloudTarget, type SecretReader } from '@svc/proxy'
import { createServiceHandlers } from '@svc/service-backend'
import type { InProcessBackend } from '../../backends/catalog.ts'
import type { Logger } from '../../ports.ts'
import type { CheckUpstream } from './own-address.ts'

/** Options of {@link createInProcessBackends}. */
export interface InProcessParts {
  readonly upstream: Pick<Upstream, 'send'>
  readonly secrets: SecretReader
  /** Additional certificate authorities for upstreams, PEM. @default Node's own */
  readonly ca?: string | undefined
  readonly logger: Logger
  readonly checkUpstream: CheckUpstream
}

/** Names of the backends that need no process. */
export const IN_PROCESS_BACKENDS = ['cloud-proxy', 'service-proxy'] as const

/** Creates the backends that need no process (§2.9, `backend`), by name. */
export function createInProcessBackends(
  parts: InProcessParts,
): Readonly<Record<(typeof IN_PROCESS_BACKENDS)[number], InProcessBackend>> {
  return {
    'service-proxy': () => createServiceHandlers({ ...parts, log: toLog(parts.logger) }),
    'cloud-proxy': () => createCloudHandlers(parts),
  }
}

/** Loads a relayed model: only its settings are checked. Its requests reach the upstream without a backend. */
function createCloudHandlers({ secrets, checkUpstream }: InProcessParts): BackendHandlers {
  return {
    loadModel: async ({ Proxy: settings }: ModelOptions) => {
      try {
        const { url } = await loadCloudTarget({ ...settings, provider: undefined }, { secrets })
        await checkUpstream(url)
        return { success: true, message: 'loaded' }
      } catch (error) {
        if (SvcError.is(error)) return { success: false, message: error.message }
        throw error
      }
    },
    free: () => ({ success: true, message: 'freed' }),
    status: () => ({ state: StatusResponse_State.READY }),
  }
}

function toLog(logger: Logger): Log {
  const backend = 'service-proxy'
  return {
    warn: (message) => logger.warn({ backend }, message),
    error: (message) => logger.error({ backend }, message),
  }
}
