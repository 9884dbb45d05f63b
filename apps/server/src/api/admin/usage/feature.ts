import type { ServerFeature } from '../../../features/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { createUsageUpkeep } from '../../../usage/usage-upkeep.ts'
import { usageRoutes } from './routes.ts'

/** Reports over usage, and its upkeep. */
export function usageFeature({ accounts, clock, log }: Platform): ServerFeature {
  const { usage, usageRecorder: recorder } = accounts.auth
  const upkeep = createUsageUpkeep({ usage, clock, logger: log })
  return {
    routes: usageRoutes({ usage, recorder }),
    start: () => upkeep.start(),
    close: () => upkeep.close(),
  }
}
