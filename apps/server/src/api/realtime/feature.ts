import { parseDuration } from '../../config/quantities.ts'
import type { ServerFeature } from '../../platform/feature.ts'
import type { Platform } from '../../platform/platform.ts'
import { socketRoute } from './routes.ts'
import { secretRoutes } from './secret-routes.ts'

/** Spoken conversations. */
export function realtimeFeature(platform: Platform): ServerFeature {
  const { realtime, realtimeSecrets, settings, bodies, clock, config } = platform
  return {
    routes: [
      socketRoute({
        open: async (request, options) => (await realtime.open()).open(request, options),
        findSecret: realtimeSecrets.find,
        idleMs: () => parseDuration(settings.get('realtime_idle_timeout')) ?? 0,
        clock,
        hidesErrors: config.opaqueErrors,
      }),
      ...secretRoutes({
        describe: async (request) => (await realtime.open()).describe(request),
        secrets: realtimeSecrets,
        bodies,
        clock,
      }),
    ],
  }
}
