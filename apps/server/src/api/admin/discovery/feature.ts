import type { ServerFeature } from '../../../features/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { discoveryRoute } from './discovery.ts'
import { instructionRoutes } from './instructions.ts'

/** Tells programs what the server offers, from its own route table. */
export function discoveryFeature({ version, rows }: Platform): ServerFeature {
  const describe = async () => {
    const { openApiDocument } = await import('../../../http/openapi.ts')
    return openApiDocument(rows(), version)
  }
  return { routes: [discoveryRoute({ version, rows }), ...instructionRoutes(describe)] }
}
