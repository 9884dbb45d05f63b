import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { slotRoutes } from './routes.ts'

/** Saves and restores the states of slots. */
export function slotsFeature({ inferenceRoutes }: Platform): ServerFeature {
  return { routes: slotRoutes(inferenceRoutes) }
}
