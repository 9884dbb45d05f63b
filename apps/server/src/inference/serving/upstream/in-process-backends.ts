import type { Log } from '@svc/backend-kit'
import type { Upstream, WayOut } from '@svc/http-client'
import type { SecretReader } from '@svc/proxy'
import type { InProcessBackend } from '../../../backends/catalog.ts'
import type { Logger } from '../../../ports.ts'
import type { VectorStores } from '../../../vector-stores/vector-stores.ts'
import type { CheckUpstream } from './own-address.ts'

/** Options of {@link createInProcessBackends}. */
export interface InProcessParts {
  readonly upstream: Pick<Upstream, 'send'>
  readonly secrets: SecretReader
  /** Additional certificate authorities for upstreams, PEM. @default Node's own */
  readonly ca?: string | undefined
  /** Says which upstreams are reached through a proxy. @default none */
  readonly wayOut?: WayOut | undefined
  readonly logger: Logger
  readonly checkUpstream: CheckUpstream
  /** Opens the vector stores of this process. */
  readonly openStores: () => Promise<VectorStores>
}

/** Names of the backends that need no process. */
export const IN_PROCESS_BACKENDS = ['cloud-proxy', 'local-store', 'service-proxy'] as const

/** Creates the backends that need no process (§2.9, `backend`), by name. Their code is loaded with the first model of each. */
export function createInProcessBackends(
  parts: InProcessParts,
): Readonly<Record<(typeof IN_PROCESS_BACKENDS)[number], InProcessBackend>> {
  return {
    'service-proxy': async () => {
      const { createServiceHandlers } = await import('@svc/service-backend')
      return createServiceHandlers({ ...parts, log: toLog(parts.logger) })
    },
    'local-store': async () => (await import('../own-stores/store-handlers.ts')).createStoreHandlers(parts.openStores),
    'cloud-proxy': async () => (await import('./cloud-handlers.ts')).createCloudHandlers(parts),
  }
}

function toLog(logger: Logger): Log {
  const backend = 'service-proxy'
  return {
    warn: (message) => logger.warn({ backend }, message),
    error: (message) => logger.error({ backend }, message),
  }
}
