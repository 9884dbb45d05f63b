import type { ClusterNode, Replica, Scheduling } from '../../contract/nodes.ts'
import { noRules } from '../../contract/scheduling.ts'

export const GIB = 2 ** 30

/** A healthy node with 80 GiB of device memory and 500 GiB of disk, all free. */
export function aNode(id: string, fields: Partial<ClusterNode> = {}): ClusterNode {
  return {
    id,
    name: id,
    kind: 'backend',
    status: 'healthy',
    address: `${id}:50051`,
    httpAddress: `${id}:50050`,
    totalVram: 80 * GIB,
    availableVram: 80 * GIB,
    totalRam: 256 * GIB,
    availableRam: 200 * GIB,
    totalDisk: 1000 * GIB,
    availableDisk: 500 * GIB,
    gpuVendor: 'nvidia',
    gpuComputeCapability: '9.0',
    capability: 'nvidia-cuda-12',
    reservedVram: 0,
    vramBudget: undefined,
    labels: {},
    maxReplicas: 1,
    heartbeatAt: 0,
    ...fields,
  }
}

/** A loaded replica without requests. */
export function aReplica(nodeId: string, model: string, fields: Partial<Replica> = {}): Replica {
  const replicaIndex = fields.replicaIndex ?? 0
  return {
    id: `${nodeId} ${model} ${replicaIndex}`,
    nodeId,
    model,
    replicaIndex,
    processKey: `${model}#${replicaIndex}`,
    address: `${nodeId}:50051`,
    state: 'loaded',
    backend: 'llama',
    configRevision: 'r1',
    sizeVram: 10 * GIB,
    inFlight: 0,
    createdAt: 0,
    usedAt: 0,
    cleanupError: undefined,
    ...fields,
  }
}

/** Rules without a limit. */
export function rules(model: string, fields: Partial<Scheduling> = {}): Scheduling {
  return { ...noRules(model), ...fields }
}
