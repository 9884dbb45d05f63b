import type { Replica, Scheduling } from '../contract/nodes.ts'
import type { ClusterView } from './cluster-view.ts'
import { isSelected } from './node-filters.ts'

/** Replicas of a model that may get requests: loaded, of the current revision, on a healthy node that is selected. */
export function findEligible({
  view,
  model,
  scheduling,
  configRevision,
}: {
  readonly view: Pick<ClusterView, 'node' | 'ofModel'>
  readonly model: string
  readonly scheduling: Pick<Scheduling, 'nodeSelector'>
  readonly configRevision: string
}): readonly Replica[] {
  const eligible: Replica[] = []
  for (const replica of view.ofModel(model).values()) {
    if (replica.state !== 'loaded' || replica.configRevision !== configRevision || replica.address === '') continue
    const node = view.node(replica.nodeId)
    if (node?.status === 'healthy' && isSelected(node, scheduling.nodeSelector)) eligible.push(replica)
  }
  return eligible
}
