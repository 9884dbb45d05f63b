import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { peerRoutes } from './routes.ts'

/** The federation and the peer-to-peer network. */
export function peersFeature({ config, settings, federation, peerNetwork, clock, log }: Platform): ServerFeature {
  const isFederated = (): boolean => settings.get('federated')
  const change = async (joins: boolean): Promise<void> => {
    await federation.follow(isFederated())
    if (config.p2p && joins) await peerNetwork.join()
  }
  return {
    routes: peerRoutes({ federation, network: peerNetwork, clock }),
    start: () => change(true),
    settingsChanged(changed) {
      // Without keys nothing is offered.
      if (changed.has('api_keys')) peerNetwork.opened()?.endRefused()
      const joins = changed.has('p2p_token') || changed.has('p2p_network_id') || changed.has('federated')
      if (!joins) return
      change(joins).catch((error: unknown) => log.error({ err: error }, 'the peers could not be changed'))
    },
    async close() {
      await peerNetwork.close()
      await federation.close()
    },
  }
}
