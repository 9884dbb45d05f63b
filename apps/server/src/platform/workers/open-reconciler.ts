import { describeWeights } from '../../catalog/attach-weights.ts'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { ModelNeeds } from '../../cluster/decisions/placement-types.ts'
import { toNeeds } from '../../cluster/loads/plan-load.ts'
import type { FolderWitness } from '../../cluster/reconcile/folder-witness.ts'
import { createGrpcProbe } from '../../cluster/reconcile/grpc-probe.ts'
import { createReconciler } from '../../cluster/reconcile/reconciler.ts'
import type { ClusterCopy } from '../../cluster/routing/cluster-copy.ts'
import type { WorkerClients, WorkerNode } from '../../cluster/routing/worker-clients.ts'
import type { Closers } from '../closers.ts'
import type { WorkerLoads } from './open-loads.ts'
import type { WorkerPlacementParts } from './worker-parts.ts'

/** Runs the reconciler until the server closes. */
export function openReconciler(
  { cluster, database, findModel, clock, logger }: WorkerPlacementParts,
  {
    copy,
    clients,
    folder,
  }: {
    readonly copy: Pick<ClusterCopy, 'current'>
    readonly clients: WorkerClients
    readonly folder: FolderWitness
  },
  { jobs, runner, revisionOf, groupsOf, measure }: WorkerLoads,
  closers: Closers,
): void {
  const { messenger, checksDiskHeadroom: isDiskChecked } = cluster
  const { directory: nodes, scheduling, replicas } = cluster.nodes
  const closing = new AbortController()
  const findNode = (id: string): WorkerNode | undefined => copy.current()?.view.node(id)
  const readNeeds = createNeedsReader((model) => measure(model, closing.signal))
  const reconciler = createReconciler({
    nodes,
    scheduling,
    replicas,
    jobs,
    messenger,
    database,
    async startLoad(name, { replicaIndex, nodeId, key }) {
      const model = findModel(name)
      if (model === undefined || model.disabled) return false
      const target = { model: name, replicaIndex, configRevision: revisionOf(model) }
      if (key !== undefined) return runner.start({ ...target, key })
      const where = nodeId === undefined ? '' : `@${nodeId}`
      return runner.start({ ...target, key: `${name}${where}#${replicaIndex}`, nodeId })
    },
    needsOf: (name) => readNeeds(findModel(name)),
    revisionOf(name) {
      const model = findModel(name)
      return model && revisionOf(model)
    },
    hasWeights(name) {
      const model = findModel(name)
      return model === undefined ? folder.tellsRemovals() : describeWeights(model) === undefined
    },
    groupsOf,
    isDiskChecked,
    probe: createGrpcProbe({ clients, findNode }),
    clock,
    logger,
  })
  const running = reconciler.run(closing.signal)
  closers.push(async () => {
    closing.abort()
    await running
  })
}

/** Reads the figures of models. Before a model is measured, its size is not known. */
function createNeedsReader(
  measure: (model: ModelConfig) => Promise<number>,
): (model: ModelConfig | undefined) => ModelNeeds | undefined {
  const sizes = new WeakMap<ModelConfig, number>()
  return (model) => {
    if (model === undefined) return undefined
    const size = sizes.get(model)
    if (size === undefined) {
      sizes.set(model, 0)
      measure(model).then(
        (bytes) => sizes.set(model, bytes),
        () => undefined,
      )
    }
    return toNeeds(model, size ?? 0)
  }
}
