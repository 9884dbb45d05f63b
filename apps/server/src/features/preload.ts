import type { Unready } from '../monitoring/readiness.ts'
import type { ServerFeature } from '../platform/feature.ts'
import type { Platform } from '../platform/platform.ts'
import { preload } from '../residency/preload.ts'

const PRELOADING: Unready = { status: 'starting', reason: 'startup preload in progress' }

/** Loads the models of `--load-to-memory` at start; the server is not ready before. */
export function preloadFeature({ config, models, backends, log }: Platform): ServerFeature {
  const names = config.loadToMemory
  const stopping = new AbortController()
  let isLoading = names.length > 0
  let loaded: Promise<void> | undefined
  return {
    start() {
      loaded = preload(names, {
        resolve: (name) => models.resolve(name),
        residency: backends.residency,
        signal: stopping.signal,
        logger: log,
      }).then(() => {
        isLoading = false
      })
    },
    unready: () => (isLoading ? PRELOADING : undefined),
    async drain() {
      stopping.abort()
      await loaded
    },
  }
}
