import type { ServerFeature } from '../../../features/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { homeRoutes } from './home.ts'

/** Pages for browsers. */
export function homeFeature({ config, version, authenticator, models }: Platform): ServerFeature {
  if (config.disableWebui) return {}
  return {
    routes: homeRoutes(version, {
      root: !config.ollamaApiRootEndpoint,
      // Visitors without a key must not learn names of models.
      example: () =>
        authenticator.isConfigured
          ? { model: undefined, needsKey: true }
          : { model: models.findDefault('chat')?.name, needsKey: false },
    }),
  }
}
