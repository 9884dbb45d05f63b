import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { traceRoutes } from './routes.ts'

/** Traces of requests and of calls to backends. */
export function tracesFeature({ traces }: Platform): ServerFeature {
  return { routes: traceRoutes(traces) }
}
