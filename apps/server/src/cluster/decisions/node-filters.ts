import type { ClusterNode, Replica } from '../contract/nodes.ts'
import { neededDisk } from './node-memory.ts'
import type { PlacementInput, Refusal } from './placement-types.ts'

/** Whether the labels of a node hold all labels of a selector. */
export function isSelected(node: ClusterNode, selector: Readonly<Record<string, string>>): boolean {
  for (const label in selector) if (node.labels[label] !== selector[label]) return false
  return true
}

function refuseLabels(node: ClusterNode, selector: Readonly<Record<string, string>>): string {
  const missing = Object.entries(selector).filter(([label, value]) => node.labels[label] !== value)
  return `lacks the labels ${missing.map(([label, value]) => `${label}=${value}`).join(', ')}`
}

/** Why the node takes no models at all, or not this one. Undefined: it may. */
export function refuseNode({ scheduling, excludedNodes }: PlacementInput, node: ClusterNode): Refusal | undefined {
  if (node.kind !== 'backend') return { filter: 'kind', detail: 'runs agents, not models' }
  if (node.status !== 'healthy') return { filter: 'status', detail: `is ${node.status}` }
  if (excludedNodes?.has(node.id)) return { filter: 'excluded', detail: 'was left out of this decision' }
  if (!isSelected(node, scheduling.nodeSelector))
    return { filter: 'selector', detail: refuseLabels(node, scheduling.nodeSelector) }
  return undefined
}

/** The first free index for another replica of a model on a node. */
export function freeReplicaIndex(node: ClusterNode, own: readonly Replica[]): number | undefined {
  if (own.length >= node.maxReplicas) return undefined
  for (let index = 0; ; index += 1) if (!own.some(({ replicaIndex }) => replicaIndex === index)) return index
}

/** Why the node takes no further replica of the model. */
export function refuseReplica(
  { scheduling }: PlacementInput,
  node: ClusterNode,
  own: readonly Replica[],
): Refusal | undefined {
  if (own.length >= node.maxReplicas)
    return {
      filter: 'slot',
      detail: `has ${own.length} of at most ${node.maxReplicas} replicas of this model`,
      needed: own.length + 1,
      available: node.maxReplicas,
    }
  if (scheduling.spreadAll && own.length > 0)
    return { filter: 'spread', detail: 'has the one replica of this model that each node gets' }
  return undefined
}

/** Replicas of other models that share a concurrency group with the model. */
export function findConflicts({ needs, groupsOf }: PlacementInput, replicas: Iterable<Replica>): readonly Replica[] {
  if (!groupsOf || needs.concurrencyGroups.length === 0) return []
  return [...replicas].filter(
    ({ model }) => model !== needs.model && groupsOf(model).some((group) => needs.concurrencyGroups.includes(group)),
  )
}

const MIB = 2 ** 20

/** Bytes for people, in MiB. */
export function formatBytes(bytes: number): string {
  return `${Math.round(bytes / MIB).toLocaleString('en')} MiB`
}

/** Why the file system of the node is too small. A total of 0 is not known, so it is allowed. */
export function refuseDisk(
  { needs, isStagedOn }: PlacementInput,
  node: ClusterNode,
  own: readonly Replica[],
): Refusal | undefined {
  if (node.totalDisk <= 0 || own.length > 0 || isStagedOn?.(node.id)) return undefined
  const needed = neededDisk(needs.sizeBytes)
  if (node.availableDisk >= needed) return undefined
  return {
    filter: 'disk',
    detail: `has ${formatBytes(node.availableDisk)} of disk free, ${formatBytes(needed)} are needed`,
    needed,
    available: node.availableDisk,
  }
}
