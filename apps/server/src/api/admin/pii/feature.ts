import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { piiRoutes } from './routes.ts'

/** Scans of single texts, and the audit events. */
export function piiFeature({ inference, audit, bodies }: Platform): ServerFeature {
  return { routes: piiRoutes({ scanner: async () => (await inference.open()).scanner, events: audit, bodies }) }
}
