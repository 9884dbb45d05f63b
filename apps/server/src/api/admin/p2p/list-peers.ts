import type { PeerNode } from '@svc/wire/native'
import type { Peer } from '../../../federation/peer.ts'
import type { ShownMember } from '../../../p2p/network.ts'

/** The federation, as far as lists show it. */
export interface Federated {
  opened(): { peers(): readonly Pick<Peer, 'name' | 'id' | 'url' | 'isHealthy' | 'lastSeenAt'>[] } | undefined
}

/** The network, as far as lists show it. */
export interface Networked {
  opened(): { token(): string; members(): readonly ShownMember[] } | undefined
}

/** The time of a peer that was never seen. */
const NEVER = new Date(0).toISOString()

/** The peers of the federation, those of the network included. */
export function listFederated({ federation }: { readonly federation: Federated }): PeerNode[] {
  const peers = federation.opened()?.peers() ?? []
  return peers.map(({ name, id, url, isHealthy, lastSeenAt }) => ({
    name,
    id,
    tunnelAddress: url,
    serviceID: 'services',
    lastSeen: lastSeenAt === undefined ? NEVER : new Date(lastSeenAt).toISOString(),
    isOnline: isHealthy,
  }))
}

/** The workers of the network. */
export function listWorkers({ network }: { readonly network: Networked }): PeerNode[] {
  const members = network.opened()?.members() ?? []
  const workers = members.filter(({ services }) => services.includes('worker'))
  return workers.map(({ name, id, tunnels, lastSeenAt, isOnline }) => ({
    name,
    id,
    tunnelAddress: tunnels.worker ?? '',
    serviceID: 'worker',
    lastSeen: new Date(lastSeenAt).toISOString(),
    isOnline,
  }))
}
