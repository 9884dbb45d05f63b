import type { ClusterNode, Replica } from '../contract/nodes.ts'

/** The nodes and replicas that a decision looks at. */
export interface ClusterView {
  /** All nodes, in no order. */
  nodes(): Iterable<ClusterNode>
  node(id: string): ClusterNode | undefined
  /** Replicas of any state on a node. */
  onNode(nodeId: string): ReadonlyMap<string, Replica>
  /** Replicas of any state of a model. */
  ofModel(model: string): ReadonlyMap<string, Replica>
}

/** Whether a replica gets requests, or will: it does not stop, and its node does not drain. */
export function isStaying(view: Pick<ClusterView, 'node'>, { state, nodeId }: Replica): boolean {
  return state !== 'unloading' && view.node(nodeId)?.status !== 'draining'
}

/** A view that is kept up to date change by change, so that a decision does not group all replicas anew. */
export interface ClusterIndex extends ClusterView {
  setNode(node: ClusterNode): void
  /** Removes a node and its replicas. */
  removeNode(id: string): void
  /** Adds or replaces a replica by its id. */
  setReplica(replica: Replica): void
  removeReplica(id: string): void
  replica(id: string): Replica | undefined
  replicas(): Iterable<Replica>
}

const NOTHING: ReadonlyMap<string, Replica> = new Map()

function put(groups: Map<string, Map<string, Replica>>, key: string, replica: Replica): void {
  const group = groups.get(key)
  if (group) group.set(replica.id, replica)
  else groups.set(key, new Map([[replica.id, replica]]))
}

function take(groups: Map<string, Map<string, Replica>>, key: string, id: string): void {
  const group = groups.get(key)
  if (group?.delete(id) && group.size === 0) groups.delete(key)
}

/** Creates an index of nodes and replicas. */
export function createClusterIndex({
  nodes = [],
  replicas = [],
}: {
  readonly nodes?: Iterable<ClusterNode>
  readonly replicas?: Iterable<Replica>
} = {}): ClusterIndex {
  const nodesById = new Map<string, ClusterNode>()
  const replicasById = new Map<string, Replica>()
  const byNode = new Map<string, Map<string, Replica>>()
  const byModel = new Map<string, Map<string, Replica>>()

  const removeReplica = (id: string): void => {
    const replica = replicasById.get(id)
    if (!replica) return
    replicasById.delete(id)
    take(byNode, replica.nodeId, id)
    take(byModel, replica.model, id)
  }
  const setReplica = (replica: Replica): void => {
    const before = replicasById.get(replica.id)
    if (before && (before.nodeId !== replica.nodeId || before.model !== replica.model)) removeReplica(replica.id)
    replicasById.set(replica.id, replica)
    put(byNode, replica.nodeId, replica)
    put(byModel, replica.model, replica)
  }

  for (const node of nodes) nodesById.set(node.id, node)
  for (const replica of replicas) setReplica(replica)
  return {
    nodes: () => nodesById.values(),
    node: (id) => nodesById.get(id),
    onNode: (id) => byNode.get(id) ?? NOTHING,
    ofModel: (model) => byModel.get(model) ?? NOTHING,
    replica: (id) => replicasById.get(id),
    replicas: () => replicasById.values(),
    setNode: (node) => void nodesById.set(node.id, node),
    removeNode(id) {
      nodesById.delete(id)
      for (const replica of [...(byNode.get(id)?.keys() ?? [])]) removeReplica(replica)
    },
    setReplica,
    removeReplica,
  }
}
