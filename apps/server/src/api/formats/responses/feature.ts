import { parseDuration } from '../../../config/quantities.ts'
import type { ServerFeature } from '../../../features/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { createLateResponseStore } from '../../../responses/late-store.ts'
import { createLiveResponses } from '../../../responses/live-responses.ts'
import { responsesRoutes } from './routes.ts'

/** The responses format: stored responses, and responses in the background. */
export async function responsesFeature(platform: Platform): Promise<ServerFeature> {
  const { config, settings, database, clock, log, inferenceRoutes } = platform
  const store = createLateResponseStore({
    database,
    ttlMs: () => parseDuration(settings.get('open_responses_store_ttl')) ?? config.openResponsesStoreTtlMs,
    clock,
  })
  await store.trim()
  const live = createLiveResponses({ store, clock, logger: log })
  return {
    routes: responsesRoutes({ ...inferenceRoutes, clock, store, live, opaqueErrors: config.opaqueErrors }),
    close: () => live.close(),
  }
}
