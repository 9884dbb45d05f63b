import { describeWeights } from '../../catalog/attach-weights.ts'
import { createFrontEndCalls } from '../../cluster/front-ends/tell-front-ends.ts'
import type { FolderWitness } from '../../cluster/reconcile/folder-witness.ts'
import { createReplicaRetirement, type ReplicaRetirement } from '../../cluster/reconcile/retire-replicas.ts'
import type { ClusterCopy } from '../../cluster/routing/cluster-copy.ts'
import type { RunningUses } from '../../cluster/routing/running-uses.ts'
import type { Closers } from '../closers.ts'
import type { WorkerLoads } from './open-loads.ts'
import type { WorkerPlacementParts } from './worker-parts.ts'

/** Longest reading of the state of the cluster, milliseconds. */
const READ_MS = 10_000

/** Opens what lets replicas of changed models go, and follows the changes of other front ends. */
export function openRetirement(
  { cluster, database, bus, findModel, shareModels, frontEndId: id, clock, logger }: WorkerPlacementParts,
  {
    copy,
    uses,
    loads: { jobs, revisionOf },
    announce,
    folder,
  }: {
    readonly copy: Pick<ClusterCopy, 'read'>
    readonly uses: Pick<RunningUses, 'flush'>
    readonly loads: Pick<WorkerLoads, 'jobs' | 'revisionOf'>
    readonly announce: (model: string) => void
    readonly folder: FolderWitness
  },
  closers: Closers,
): ReplicaRetirement {
  const { messenger } = cluster
  const followHere = async (): Promise<void> => {
    await copy.read({ signal: AbortSignal.timeout(READ_MS) })
    await uses.flush()
  }
  const frontEnds = createFrontEndCalls({
    database,
    messenger,
    id,
    async follow() {
      await shareModels()
      await followHere()
    },
  })
  const retirement = createReplicaRetirement({
    replicas: cluster.nodes.replicas,
    jobs,
    database,
    messenger,
    wantedRevision(name) {
      const model = findModel(name)
      if (model === undefined && !folder.tellsRemovals()) return 'unknown'
      if (model?.name !== name || model.disabled) return { revision: undefined }
      // The revision depends on weights: only a server that has them can tell it.
      return describeWeights(model) === undefined ? { revision: revisionOf(model) } : 'unknown'
    },
    shareModels,
    tellOthers: frontEnds.tellOthers,
    followHere,
    announce,
    clock,
    logger,
  })
  closers.push(
    () => frontEnds.close(),
    () => retirement.close(),
    bus.subscribe('models.changed', ({ changed, removed }) => retirement.note([...changed, ...removed])),
  )
  return retirement
}
