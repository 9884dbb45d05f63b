import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { discoveryRoute } from './discovery.ts'
import { featuresRoute } from './features.ts'
import { instructionRoutes } from './instructions.ts'

/** Describes the server to programs, from its route table. */
export function discoveryFeature({ version, routes, accounts, assistant }: Platform): ServerFeature {
  const describe = async () => {
    const { openApiDocument } = await import('../../../http/openapi.ts')
    return openApiDocument(routes(), version)
  }
  return {
    routes: [
      discoveryRoute({ version, routes }),
      featuresRoute({ routes, hasAccounts: accounts.isInUse, hasAssistant: assistant.isOn }),
      ...instructionRoutes(describe),
    ],
  }
}
