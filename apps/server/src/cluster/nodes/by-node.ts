import type { Replica } from '../contract/nodes.ts'

/** Groups replicas by the ids of their workers. */
export function byNode(replicas: readonly Replica[]): ReadonlyMap<string, readonly Replica[]> {
  const groups = new Map<string, Replica[]>()
  for (const replica of replicas) {
    const group = groups.get(replica.nodeId)
    if (group === undefined) groups.set(replica.nodeId, [replica])
    else group.push(replica)
  }
  return groups
}
