import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { backendLogRoutes } from './routes.ts'

/** The output of backends. */
export function backendLogsFeature({ backends, clock }: Platform): ServerFeature {
  return { routes: backendLogRoutes({ logs: backends.logs, clock }) }
}
