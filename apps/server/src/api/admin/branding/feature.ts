import { join } from 'node:path'
import type { ServerFeature } from '../../../features/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { brandingRoutes } from './branding.ts'

/** Name and branding of this instance. */
export function brandingFeature({ config, settings }: Platform): ServerFeature {
  return {
    routes: brandingRoutes({
      folder: join(config.configDir, 'branding'),
      branding: () => ({
        instanceName: settings.get('instance_name'),
        instanceTagline: settings.get('instance_tagline'),
        files: {
          logo: settings.get('logo_file'),
          logo_horizontal: settings.get('logo_horizontal_file'),
          favicon: settings.get('favicon_file'),
        },
      }),
    }),
  }
}
