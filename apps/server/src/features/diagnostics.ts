import type { ServerFeature } from '../platform/feature.ts'
import type { Platform } from '../platform/platform.ts'
import type { Clock, Logger } from '../ports.ts'

/** Time limits of the listener, milliseconds. A profile may be large, but its reader is on this machine. */
const LIMITS = { headersMs: 10_000, requestMs: 10_000, keepAliveMs: 5000, unreadMs: 10_000 }
const MAX_CONNECTIONS = 32

/** The profiling listener of `--pprof`. */
export function diagnosticsFeature({ config, clock, log }: Platform): ServerFeature {
  if (!config.pprof) return {}
  let listener: DiagnosticsListener | undefined
  return {
    async start() {
      listener = await openDiagnostics({ address: config.pprofAddress, clock, log })
      log.info({ url: listener.url }, 'diagnostics are listening')
    },
    close: () => listener?.close(),
  }
}

/** A listener for profiling requests. */
export interface DiagnosticsListener {
  readonly url: string
  close(): Promise<void>
}

/** Opens the listener. */
export async function openDiagnostics(options: {
  /** A numeric loopback address. */
  readonly address: { readonly host?: string | undefined; readonly port: number }
  readonly clock: Clock
  readonly log: Logger
  readonly limits?: Partial<typeof LIMITS> | undefined
}): Promise<DiagnosticsListener> {
  const { createDiagnostics } = await import('../monitoring/diagnostics.ts')
  const { listenWithNode } = await import('../http/listen.ts')
  const { stayInHttp } = await import('../http/upgrade.ts')
  const { host = '127.0.0.1', port } = options.address
  const diagnostics = createDiagnostics(options)
  const listener = await listenWithNode(
    (incoming, outgoing, upgrade) => {
      if (upgrade !== undefined) stayInHttp(upgrade)
      diagnostics.answer(incoming, outgoing)
    },
    { host, port },
    { limits: { ...LIMITS, ...options.limits }, maxConnections: MAX_CONNECTIONS },
  )
  return {
    url: `${listener.url}/debug/pprof/`,
    async close() {
      diagnostics.close()
      const drained = listener.drain()
      listener.destroy()
      await drained
    },
  }
}
