import type { ServerFeature } from '../../../features/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { settingsRoutes } from './settings.ts'

/** Runtime settings over HTTP. */
export function settingsFeature({ config, settings, bodies }: Platform): ServerFeature {
  return config.disableRuntimeSettings ? {} : { routes: settingsRoutes(settings, bodies) }
}
