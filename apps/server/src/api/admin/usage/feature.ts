import type { ServerFeature } from '../../../features/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { fillSources } from '../../../usage/fill-sources.ts'
import { usageRoutes } from './routes.ts'

/** Reports over usage. */
export function usageFeature({ accounts, log: logger }: Platform): ServerFeature {
  const { usage, usageRecorder: recorder } = accounts.auth
  const closing = new AbortController()
  let filling: Promise<void> | undefined
  return {
    routes: usageRoutes({ usage, recorder }),
    start() {
      filling = fillSources(usage, { logger, signal: closing.signal })
    },
    async close() {
      closing.abort()
      await filling
    },
  }
}
