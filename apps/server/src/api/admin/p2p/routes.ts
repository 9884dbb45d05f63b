import { SvcError } from '@svc/errors'
import type { PeerFederation, PeerNode, PeerNodes, PeerStatistics, PeerWorkers } from '@svc/wire/native'
import { HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { Clock } from '../../../ports.ts'
import { type Federated, listFederated, listWorkers, type Networked } from './list-peers.ts'

/** Parts of {@link peerRoutes}. */
export interface PeerRouteParts {
  readonly federation: Federated
  readonly network: Networked
  readonly clock: Pick<Clock, 'now'>
}

const wire = () => import('@svc/wire/native')
const admin = { method: 'GET', access: 'admin', family: 'flat', tag: 'system', quiet: true } as const

/** `/api/p2p` (§4.7). */
export function peerRoutes(parts: PeerRouteParts): Route[] {
  const { network } = parts
  const list = (): { readonly workers: PeerNode[]; readonly federated: PeerNode[] } => ({
    workers: listWorkers(parts),
    federated: listFederated(parts),
  })
  return [
    defineRoute({
      ...admin,
      path: '/api/p2p',
      summary: 'The workers and the peers of the federation',
      responses: { 200: { description: 'The nodes.', schema: async () => (await wire()).peerNodes } },
      handler() {
        const { workers, federated } = list()
        return json({
          llama_cpp_nodes: workers.map(toPlain),
          federated_nodes: federated.map(toPlain),
          mlx_nodes: [],
        } satisfies PeerNodes)
      },
    }),
    defineRoute({
      ...admin,
      path: '/api/p2p/token',
      summary: 'The token with which others join the network',
      responses: { 200: { description: 'The token.', contentType: 'text/plain' } },
      handler() {
        const joined = network.opened()
        if (joined === undefined) throw turnedOff()
        return new HttpReply(joined.token())
      },
    }),
    defineRoute({
      ...admin,
      path: '/api/p2p/workers',
      summary: 'The workers of the network',
      responses: { 200: { description: 'The workers.', schema: async () => (await wire()).peerWorkers } },
      handler() {
        const { workers: nodes } = list()
        return json({ llama_cpp: { nodes }, mlx: { nodes: [] }, nodes } satisfies PeerWorkers)
      },
    }),
    defineRoute({
      ...admin,
      path: '/api/p2p/federation',
      summary: 'The peers that share requests',
      responses: { 200: { description: 'The peers.', schema: async () => (await wire()).peerFederation } },
      handler: () => json({ nodes: list().federated } satisfies PeerFederation),
    }),
    defineRoute({
      ...admin,
      path: '/api/p2p/stats',
      summary: 'How many workers and peers are there',
      responses: { 200: { description: 'The figures.', schema: async () => (await wire()).peerStatistics } },
      handler() {
        const { workers, federated } = list()
        return json({
          llama_cpp_workers: count(workers),
          federated: count(federated),
          mlx_workers: { online: 0, total: 0 },
        } satisfies PeerStatistics)
      },
    }),
  ]
}

function count(nodes: readonly PeerNode[]): { readonly online: number; readonly total: number } {
  return { online: nodes.filter((node) => node.isOnline).length, total: nodes.length }
}

function toPlain({ name, id, tunnelAddress, serviceID, lastSeen }: PeerNode) {
  return { Name: name, ID: id, TunnelAddress: tunnelAddress, ServiceID: serviceID, LastSeen: lastSeen }
}

function turnedOff(): SvcError {
  return new SvcError('not_found', 'this server is in no peer-to-peer network: start it with --p2p', {
    code: 'p2p_off',
  })
}
