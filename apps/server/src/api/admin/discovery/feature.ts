import type { ServerFeature } from '../../../features/feature.ts'
import { openApiDocument } from '../../../http/openapi.ts'
import type { Platform } from '../../../platform/platform.ts'
import { discoveryRoute } from './discovery.ts'
import { instructionRoutes } from './instructions.ts'

/** Describes the server to programs, from its route table. */
export function discoveryFeature({ version, rows }: Platform): ServerFeature {
  return {
    routes: [discoveryRoute({ version, rows }), ...instructionRoutes(() => openApiDocument(rows(), version))],
  }
}
