import type { ServerFeature } from '../../../features/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { homeRoutes } from './home.ts'

/** The pages that a browser sees. */
export function homeFeature({ config, version, authenticator, models }: Platform): ServerFeature {
  if (config.disableWebui) return {}
  return {
    routes: homeRoutes(version, {
      root: !config.ollamaApiRootEndpoint,
      // Visitors without a key learn no names of models.
      example: () =>
        authenticator.isConfigured
          ? { model: undefined, needsKey: true }
          : { model: models.defaultFor('chat')?.name, needsKey: false },
    }),
  }
}
