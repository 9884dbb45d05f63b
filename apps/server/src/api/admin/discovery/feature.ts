import type { ServerFeature } from '../../../features/feature.ts'
import { openApiDocument } from '../../../http/openapi.ts'
import type { Platform } from '../../../platform/platform.ts'
import { discoveryRoute } from './discovery.ts'
import { instructionRoutes } from './instructions.ts'

/** Describes the server to programs, from its route table. */
export function discoveryFeature({ version, routes }: Platform): ServerFeature {
  return {
    routes: [discoveryRoute({ version, routes }), ...instructionRoutes(() => openApiDocument(routes(), version))],
  }
}
