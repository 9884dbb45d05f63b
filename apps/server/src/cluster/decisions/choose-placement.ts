import type { ClusterNode, Replica } from '../contract/nodes.ts'
import { judgeNode, ownReplicas } from './judge-node.ts'
import { findConflicts, refuseDisk, refuseNode, refuseReplica } from './node-filters.ts'
import { freeMemory } from './node-memory.ts'
import type { NodeVerdict, PlacementDecision, PlacementInput } from './placement-types.ts'

/** Wait before a decision is repeated while every fitting node is busy, milliseconds. */
const RETRY_MS = 500

/** A node that fits, with its figures in the order of their weight: the smaller ones win. */
interface Rank {
  readonly node: ClusterNode
  readonly figures: readonly number[]
}

function isBefore(a: Rank, b: Rank): boolean {
  for (const [index, figure] of a.figures.entries()) {
    const other = b.figures[index] ?? 0
    if (figure !== other) return figure < other
  }
  return a.node.name < b.node.name
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
    // Replicas of one model spread out; then idle nodes, those that have the files, and the least loaded.
    figures: [own.length, all.size === 0 ? 0 : 1, isStaged ? 0 : 1, inFlight, all.size, -(free ?? 0)],
  }
}

/** Nodes that pass every filter which no eviction can help with. */
function* passing(input: PlacementInput): Iterable<{ readonly node: ClusterNode; readonly own: readonly Replica[] }> {
  for (const node of input.view.nodes()) {
    if (refuseNode(input, node)) continue
    const own = ownReplicas(input, node)
    if (refuseReplica(input, node, own)) continue
    if (input.isDiskChecked && refuseDisk(input, node, own)) continue
    yield { node, own }
  }
}

function lastUse({ evictions }: NodeVerdict): number {
  return Math.max(...evictions.map(({ usedAt }) => usedAt))
}

/** The node whose victims have been idle for longest. */
function chooseByEviction(verdicts: readonly NodeVerdict[]): NodeVerdict | undefined {
  return verdicts
    .filter(({ isPossible }) => isPossible)
    .reduce<NodeVerdict | undefined>((best, verdict) => {
      if (!best) return verdict
      const difference = lastUse(verdict) - lastUse(best) || verdict.evictions.length - best.evictions.length
      return difference < 0 || (difference === 0 && verdict.nodeName < best.nodeName) ? verdict : best
    }, undefined)
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
  for (const { state } of view.ofModel(needs.model).values()) if (state !== 'unloading') count += 1
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
  const open = [...passing(input)]
  let best: Rank | undefined
  for (const { node, own } of open) {
    const rank = rankFitting(input, node, own)
    if (rank && (!best || isBefore(rank, best))) best = rank
  }
  if (best) return toChosen(judgeNode(input, best.node))
  const verdict = chooseByEviction(open.map(({ node }) => judgeNode(input, node)))
  if (verdict) return toChosen(verdict)
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
