import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { discoveryRoute } from './discovery.ts'
import { featuresRoute } from './features.ts'
import { instructionRoutes } from './instructions.ts'

/** Describes the server to programs, from its route table. */
export function discoveryFeature({ version, config, settings, routes, accounts, assistant }: Platform): ServerFeature {
  const describe = async () => {
    const { openApiDocument } = await import('../../../http/openapi.ts')
    return openApiDocument(routes(), version)
  }
  const hasPeers = (): boolean => config.p2p || settings.get('federated')
  return {
    routes: [
      discoveryRoute({ version, routes }),
      featuresRoute({ routes, hasAccounts: accounts.isInUse, hasAssistant: assistant.isOn, hasPeers }),
      ...instructionRoutes(describe),
    ],
  }
}
