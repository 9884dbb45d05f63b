import { parseDuration } from '../../config/quantities.ts'
import type { ServerFeature } from '../../platform/feature.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Realtime } from '../../realtime/open-session.ts'
import { createCallDesk } from './call-desk.ts'
import { callRoutes } from './calls-route.ts'
import { socketRoute } from './routes.ts'
import { secretRoutes } from './secret-routes.ts'

/** Spoken conversations. */
export function realtimeFeature(platform: Platform): ServerFeature {
  const { realtime, realtimeSecrets, settings, bodies, forms, clock, config } = platform
  const desk = createCallDesk(platform)
  const idleMs = (): number => parseDuration(settings.get('realtime_idle_timeout')) ?? 0
  const open: Realtime['open'] = async (request, options) => (await realtime.open()).open(request, options)
  return {
    routes: [
      socketRoute({
        open,
        findSecret: realtimeSecrets.find,
        idleMs,
        clock,
        hidesErrors: config.opaqueErrors,
      }),
      ...secretRoutes({
        describe: async (request) => (await realtime.open()).describe(request),
        secrets: realtimeSecrets,
        bodies,
        clock,
      }),
      ...callRoutes({ open, findSecret: realtimeSecrets.find, calls: desk.calls, idleMs, bodies, forms, clock }),
    ],
    drain: desk.close,
    close: desk.close,
  }
}
