import type { ServerFeature } from '../../platform/feature.ts'
import type { Platform } from '../../platform/platform.ts'
import { serveHome, serveIcon } from './home.ts'
import { webRoutes } from './routes.ts'

/** The web interface, and a page where there is none. */
export function webFeature(platform: Platform): ServerFeature {
  const { config, version, authenticator, models, compression, webFolder } = platform
  if (config.disableWebui) return {}
  return {
    routes: webRoutes({
      folder: webFolder,
      root: !config.ollamaApiRootEndpoint,
      compression,
      serveIcon,
      serveHome: ({ baseUrl }) =>
        serveHome({
          version,
          base: baseUrl,
          hasInterface: webFolder !== undefined,
          // Visitors without a key must not learn names of models.
          example: authenticator.isConfigured
            ? { model: undefined, needsKey: true }
            : { model: models.findDefault('chat')?.name, needsKey: false },
        }),
    }),
  }
}
