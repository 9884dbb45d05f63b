import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { fillSources } from '../../../usage/fill-sources.ts'
import { usageRoutes } from './routes.ts'
import { refuseReports, usageViewRoutes } from './view-routes.ts'

/** Reports over usage. */
export function usageFeature({ config, accounts, database, log: logger }: Platform): ServerFeature {
  const { usage, usageRecorder: recorder } = accounts.auth
  const parts = { usage, recorder, endUsers: accounts.endUsers }
  const routes = [...usageRoutes(parts), ...usageViewRoutes(parts)]
  const closing = new AbortController()
  let filling: Promise<void> | undefined
  return {
    routes: config.disableStats ? refuseReports(routes) : routes,
    start() {
      filling = fillSources(usage, { database, logger, signal: closing.signal })
    },
    async close() {
      closing.abort()
      await filling
    },
  }
}
