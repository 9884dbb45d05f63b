import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { operationRoutes } from './routes.ts'

/** Operations over HTTP, and the start and the stop of their queue. */
export function operationsFeature({ operations }: Platform): ServerFeature {
  return {
    routes: operationRoutes(operations),
    start: () => operations.start(),
    drain: () => operations.close(),
  }
}
