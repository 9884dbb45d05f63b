import { join } from 'node:path'
import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { createAssetStore } from './asset-store.ts'
import { type Branding, brandingRoutes, replyWithBranding } from './branding.ts'
import { brandingWriteRoutes } from './write-routes.ts'

/** Name and branding of this instance. */
export function brandingFeature({ config, settings, forms }: Platform): ServerFeature {
  const folder = join(config.configDir, 'branding')
  const branding = (): Branding => ({
    instanceName: settings.get('instance_name'),
    instanceTagline: settings.get('instance_tagline'),
    files: {
      logo: settings.get('logo_file'),
      logo_horizontal: settings.get('logo_horizontal_file'),
      favicon: settings.get('favicon_file'),
    },
  })
  return {
    routes: [
      ...brandingRoutes({ folder, branding }),
      ...brandingWriteRoutes({
        assets: createAssetStore({ folder, settings }),
        forms,
        reply: () => replyWithBranding(branding()),
      }),
    ],
  }
}
