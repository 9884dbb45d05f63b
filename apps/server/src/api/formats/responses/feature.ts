import { parseDuration } from '../../../config/quantities.ts'
import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { createLazyResponseStore } from '../../../responses/lazy-response-store.ts'
import { createLiveResponses } from '../../../responses/live-responses.ts'
import { responsesRoutes } from './routes.ts'

/** The responses format: stored responses, and responses in the background. */
export async function responsesFeature(platform: Platform): Promise<ServerFeature> {
  const { config, settings, database, bus, clock, log, inferenceRoutes } = platform
  const store = createLazyResponseStore({
    database,
    ttlMs: () => parseDuration(settings.get('open_responses_store_ttl')) ?? config.openResponsesStoreTtlMs,
    bus,
    clock,
  })
  await store.trim()
  const live = createLiveResponses({ store, bus, clock, logger: log })
  return {
    routes: responsesRoutes({ ...inferenceRoutes, bus, clock, store, live, opaqueErrors: config.opaqueErrors }),
    close: () => live.close(),
  }
}
