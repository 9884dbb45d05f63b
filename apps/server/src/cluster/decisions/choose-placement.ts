import type { ClusterNode, Replica } from '../contract/nodes.ts'
import { isStaying } from './cluster-view.ts'
import { judgeNode, missingMemory, ownReplicas } from './judge-node.ts'
import { findConflicts, refuseDisk, refuseNode, refuseReplica } from './node-filters.ts'
import { freeMemory } from './node-memory.ts'
import type { NodeVerdict, PlacementDecision, PlacementInput } from './placement-types.ts'
import { canFreeBefore, planEvictions } from './plan-evictions.ts'

/** Wait before a decision is repeated while every fitting node is busy, milliseconds. */
const RETRY_MS = 500

/** A node that fits. Less of each figure is better, but for free memory. */
interface Rank {
  readonly node: ClusterNode
  readonly own: number
  readonly isUsed: number
  readonly isUnstaged: number
  readonly inFlight: number
  readonly replicas: number
  readonly free: number
}

/** Replicas of one model spread out; then idle nodes win, those that have the files, and the least loaded. */
function compareRanks(a: Rank, b: Rank): number {
  return (
    a.own - b.own ||
    a.isUsed - b.isUsed ||
    a.isUnstaged - b.isUnstaged ||
    a.inFlight - b.inFlight ||
    a.replicas - b.replicas ||
    b.free - a.free ||
    (a.node.name < b.node.name ? -1 : 1)
  )
}

function rankFitting(input: PlacementInput, node: ClusterNode, own: readonly Replica[]): Rank | undefined {
  const free = freeMemory(node).bytes
  if (free !== undefined && free < (input.needs.memoryBytes ?? 0)) return undefined
  const all = input.view.onNode(node.id)
  if (findConflicts(input, all.values()).length > 0) return undefined
  let inFlight = 0
  for (const replica of all.values()) inFlight += replica.inFlight
  const isStaged = own.length > 0 || input.isStagedOn?.(node.id) === true
  return {
    node,
    own: own.length,
    isUsed: Math.min(1, all.size),
    isUnstaged: isStaged ? 0 : 1,
    inFlight,
    replicas: all.size,
    free: free ?? 0,
  }
}

/** A node that passes every filter which no eviction can help with. */
interface OpenNode {
  readonly node: ClusterNode
  readonly own: readonly Replica[]
}

function findOpen(input: PlacementInput): readonly OpenNode[] {
  const open: OpenNode[] = []
  for (const node of input.view.nodes()) {
    if (refuseNode(input, node)) continue
    const own = ownReplicas(input, node)
    if (refuseReplica(input, node, own) || (input.isDiskChecked && refuseDisk(input, node, own))) continue
    open.push({ node, own })
  }
  return open
}

/** Evictions on a node, and the last use of the youngest victim. */
interface EvictingNode {
  readonly node: ClusterNode
  readonly victims: readonly Replica[]
  readonly usedAt: number
}

function planOn(input: PlacementInput, node: ClusterNode, before: number): EvictingNode | undefined {
  const missingBytes = missingMemory(input, node)
  if (!canFreeBefore(input, { nodeId: node.id, missingBytes, before })) return undefined
  const conflicts = findConflicts(input, input.view.onNode(node.id).values())
  const plan = planEvictions(input, { node, conflicts, missingBytes })
  if (plan.kind !== 'evict') return undefined
  return { node, victims: plan.victims, usedAt: Math.max(...plan.victims.map(({ usedAt }) => usedAt)) }
}

function compareEvictions(a: EvictingNode, b: EvictingNode): number {
  return a.usedAt - b.usedAt || a.victims.length - b.victims.length || (a.node.name < b.node.name ? -1 : 1)
}

/** The node whose victims have been idle for longest. */
function chooseByEviction(input: PlacementInput, open: readonly OpenNode[]): ClusterNode | undefined {
  let best: EvictingNode | undefined
  for (const { node } of open) {
    const plan = planOn(input, node, best?.usedAt ?? Number.POSITIVE_INFINITY)
    if (plan && (!best || compareEvictions(plan, best) < 0)) best = plan
  }
  return best?.node
}

function toChosen(verdict: NodeVerdict): PlacementDecision {
  return {
    kind: 'chosen',
    nodeId: verdict.nodeId,
    nodeName: verdict.nodeName,
    replicaIndex: verdict.replicaIndex ?? 0,
    evictions: verdict.evictions,
    warnings: verdict.warnings,
  }
}

/** Replicas of a model that count against its greatest number. */
function countReplicas({ needs, view }: PlacementInput): number {
  let count = 0
  for (const replica of view.ofModel(needs.model).values()) if (isStaying(view, replica)) count += 1
  return count
}

/**
 * Chooses the node for one more replica of a model. Filters, in this order: models are taken and the node is healthy,
 * selector, replica slot, disk, concurrency groups, memory. Of the nodes that fit, an idle one wins, then the least
 * loaded. When none fits, the least recently used replicas without a running request make room.
 */
export function choosePlacement(input: PlacementInput): PlacementDecision {
  const { maxReplicas } = input.scheduling
  if (maxReplicas > 0 && countReplicas(input) >= maxReplicas) return { kind: 'none', reason: 'max_replicas', nodes: [] }
  const open = findOpen(input)
  let best: Rank | undefined
  for (const { node, own } of open) {
    const rank = rankFitting(input, node, own)
    if (rank && (!best || compareRanks(rank, best) < 0)) best = rank
  }
  const chosen = best?.node ?? chooseByEviction(input, open)
  if (chosen) return toChosen(judgeNode(input, chosen))
  const nodes = [...input.view.nodes()].map((node) => judgeNode(input, node))
  if (nodes.some(({ isBusy }) => isBusy)) return { kind: 'wait', retryMs: RETRY_MS, nodes }
  return { kind: 'none', reason: nodes.length === 0 ? 'no_nodes' : 'refused', nodes }
}

/** Explains a placement: the decision, and the verdict on every node in the order of their names. */
export function explainPlacement(input: PlacementInput): {
  readonly decision: PlacementDecision
  readonly nodes: readonly NodeVerdict[]
} {
  return {
    decision: choosePlacement(input),
    nodes: [...input.view.nodes()]
      .map((node) => judgeNode(input, node))
      .sort((a, b) => (a.nodeName < b.nodeName ? -1 : 1)),
  }
}
