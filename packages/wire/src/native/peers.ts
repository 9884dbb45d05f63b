import * as z from 'zod'

/** A worker or a peer of the federation. */
export const peerNode = z.looseObject({
  name: z.string(),
  id: z.string(),
  /** The address at which this server reaches it; empty while it has none. */
  tunnelAddress: z.string(),
  serviceID: z.string(),
  lastSeen: z.iso.datetime(),
  isOnline: z.boolean(),
})

const plainPeerNode = z.looseObject({
  Name: z.string(),
  ID: z.string(),
  TunnelAddress: z.string(),
  ServiceID: z.string(),
  LastSeen: z.iso.datetime(),
})

/** Reply of `GET /api/p2p`. */
export const peerNodes = z.looseObject({
  llama_cpp_nodes: z.array(plainPeerNode),
  federated_nodes: z.array(plainPeerNode),
  mlx_nodes: z.array(plainPeerNode),
})

const nodeList = z.looseObject({ nodes: z.array(peerNode) })

/** Reply of `GET /api/p2p/workers`. */
export const peerWorkers = z.looseObject({ llama_cpp: nodeList, mlx: nodeList, nodes: z.array(peerNode) })

/** Reply of `GET /api/p2p/federation`. */
export const peerFederation = nodeList

const figures = z.looseObject({ online: z.int().min(0), total: z.int().min(0) })

/** Reply of `GET /api/p2p/stats`. */
export const peerStatistics = z.looseObject({ llama_cpp_workers: figures, federated: figures, mlx_workers: figures })

/** A worker or a peer of the federation. */
export type PeerNode = z.infer<typeof peerNode>
export type PeerNodes = z.infer<typeof peerNodes>
export type PeerWorkers = z.infer<typeof peerWorkers>
export type PeerFederation = z.infer<typeof peerFederation>
export type PeerStatistics = z.infer<typeof peerStatistics>
