import type { Tables } from '../../db/schema.ts'
import type { ClusterNode, NodeResources, NodeStatus } from '../contract/nodes.ts'
import type { Labels } from './labels.ts'
import { toBudgetBytes } from './vram-budget.ts'

/** A worker with the facts of its row that administrators see. */
export interface NodeRecord extends ClusterNode {
  readonly isApproved: boolean
  /** Labels that an administrator gave. */
  readonly ownLabels: Labels
  readonly isMaxReplicasManual: boolean
  /** As it was given: bytes, `8GB` or `80%`; empty: none. */
  readonly vramBudgetText: string
  readonly isVramBudgetManual: boolean
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** A row of the table of nodes. */
export type NodeRow = Tables['nodes']['$inferSelect']

/** Resources of a worker of which nothing is known. */
export const NO_RESOURCES: NodeResources = {
  totalVram: 0,
  availableVram: 0,
  totalRam: 0,
  availableRam: 0,
  totalDisk: 0,
  availableDisk: 0,
  gpuVendor: '',
  gpuComputeCapability: '',
  capability: '',
}

/** Reads the resources of a row. */
export function readResources({ resources }: Pick<NodeRow, 'resources'>): NodeResources {
  // The column holds what this module wrote.
  return { ...NO_RESOURCES, ...(JSON.parse(resources) as Partial<NodeResources>) }
}

/** The worker of a row. */
export function toNodeRecord(row: NodeRow): NodeRecord {
  const resources = readResources(row)
  const ownLabels = JSON.parse(row.ownLabels) as Labels
  return {
    ...resources,
    id: row.id,
    name: row.name,
    kind: row.kind === 'agent' ? 'agent' : 'backend',
    status: row.status as NodeStatus,
    address: row.address,
    httpAddress: row.httpAddress,
    reservedVram: row.reservedVram,
    vramBudget: toBudgetBytes(row.vramBudget, resources.totalVram),
    labels: { ...(JSON.parse(row.labels) as Labels), ...ownLabels },
    maxReplicas: Math.max(1, row.maxReplicas),
    heartbeatAt: row.heartbeatAt,
    isApproved: row.isApproved === 1,
    ownLabels,
    isMaxReplicasManual: row.isMaxReplicasManual === 1,
    vramBudgetText: row.vramBudget,
    isVramBudgetManual: row.isVramBudgetManual === 1,
    createdAt: row.createdAt,
  }
}
