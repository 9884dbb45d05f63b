import type { Diagnostics } from '../monitoring/diagnostics.ts'
import type { Platform } from '../platform/platform.ts'
import type { ServerFeature } from './feature.ts'

/** The profiling listener of `--pprof`. */
export function diagnosticsFeature({ config, clock, log }: Platform): ServerFeature {
  if (!config.pprof) return {}
  let diagnostics: Diagnostics | undefined
  return {
    async start() {
      const { startDiagnostics } = await import('../monitoring/diagnostics.ts')
      diagnostics = await startDiagnostics({ address: config.pprofAddress, clock, log })
      log.info({ url: diagnostics.url }, 'diagnostics are listening')
    },
    close: () => diagnostics?.close(),
  }
}
