import type * as z from 'zod'
import type { Replica, Scheduling } from '../../../cluster/contract/nodes.ts'
import type { NodeRecord } from '../../../cluster/nodes/node-record.ts'
import type { wireNode, wireReplica, wireScheduling } from './schemas.ts'

const toTime = (ms: number): string => new Date(ms).toISOString()

/** A worker as lists show it. */
export function toWireNode(node: NodeRecord, replicas?: readonly Replica[]): z.input<typeof wireNode> {
  return {
    id: node.id,
    name: node.name,
    node_type: node.kind,
    address: node.address,
    http_address: node.httpAddress,
    status: node.status,
    total_vram: node.totalVram,
    available_vram: node.availableVram,
    reserved_vram: node.reservedVram,
    total_ram: node.totalRam,
    available_ram: node.availableRam,
    total_disk: node.totalDisk,
    available_disk: node.availableDisk,
    gpu_vendor: node.gpuVendor,
    gpu_compute_capability: node.gpuComputeCapability,
    ...(node.capability === '' ? {} : { capability: node.capability }),
    max_replicas_per_model: node.maxReplicas,
    max_replicas_per_model_manually_set: node.isMaxReplicasManual,
    ...(node.vramBudgetText === '' ? {} : { vram_budget: node.vramBudgetText }),
    ...(node.vramBudget === undefined ? {} : { vram_budget_bytes: node.vramBudget }),
    vram_budget_manually_set: node.isVramBudgetManual,
    last_heartbeat: node.heartbeatAt === 0 ? null : toTime(node.heartbeatAt),
    created_at: toTime(node.createdAt),
    labels: node.labels,
    ...(replicas === undefined
      ? {}
      : {
          model_count: new Set(replicas.map(({ model }) => model)).size,
          in_flight_count: replicas.reduce((sum, { inFlight }) => sum + inFlight, 0),
        }),
  }
}

/** A model on a worker as lists show it. */
export function toWireReplica(replica: Replica, nodeName?: string): z.input<typeof wireReplica> {
  return {
    id: replica.id,
    node_id: replica.nodeId,
    ...(nodeName === undefined ? {} : { node_name: nodeName }),
    model_name: replica.model,
    replica_index: replica.replicaIndex,
    address: replica.address,
    state: replica.state,
    in_flight: replica.inFlight,
    last_used: toTime(replica.usedAt),
    ...(replica.backend === '' ? {} : { backend_type: replica.backend }),
    ...(replica.configRevision === '' ? {} : { config_revision: replica.configRevision }),
    ...(replica.sizeVram === undefined ? {} : { size_vram: replica.sizeVram }),
    ...(replica.cleanupError === undefined ? {} : { cleanup_error: replica.cleanupError }),
    created_at: toTime(replica.createdAt),
  }
}

/** The rules of a model. */
export function toWireScheduling(rules: Scheduling): z.input<typeof wireScheduling> {
  return {
    id: rules.model,
    model_name: rules.model,
    node_selector: rules.nodeSelector,
    min_replicas: rules.minReplicas,
    max_replicas: rules.maxReplicas,
    spread_all: rules.spreadAll,
    route_policy: rules.routePolicy,
    balance_abs_threshold: rules.balanceAbsThreshold,
    balance_rel_threshold: rules.balanceRelThreshold,
    min_prefix_match: rules.minPrefixMatch,
    ...(rules.unsatisfiableUntil === undefined ? {} : { unsatisfiable_until: toTime(rules.unsatisfiableUntil) }),
    unsatisfiable_ticks: rules.unsatisfiableTicks,
  }
}
