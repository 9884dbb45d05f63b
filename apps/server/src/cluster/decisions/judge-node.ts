import type { ClusterNode, Replica } from '../contract/nodes.ts'
import { findConflicts, formatBytes, freeReplicaIndex, refuseDisk, refuseNode, refuseReplica } from './node-filters.ts'
import { freeMemory } from './node-memory.ts'
import type { NodeVerdict, PlacementInput, Refusal } from './placement-types.ts'
import { planEvictions } from './plan-evictions.ts'

function sumInFlight(replicas: Iterable<Replica>): number {
  let sum = 0
  for (const { inFlight } of replicas) sum += inFlight
  return sum
}

/** Replicas of the model on a node. A replica that is still being removed keeps its index. */
export function ownReplicas({ needs, view }: PlacementInput, node: ClusterNode): readonly Replica[] {
  return [...view.ofModel(needs.model).values()].filter(({ nodeId }) => nodeId === node.id)
}

function refuseGroup(conflicts: readonly Replica[]): readonly Refusal[] {
  if (conflicts.length === 0) return []
  const models = [...new Set(conflicts.map(({ model }) => model))].join(', ')
  return [{ filter: 'group', detail: `runs models of the same concurrency group: ${models}` }]
}

function refuseMemory(needed: number, available: number | undefined, kind: 'vram' | 'ram'): readonly Refusal[] {
  if (available === undefined || available >= needed) return []
  const memory = kind === 'vram' ? 'device memory' : 'main memory'
  return [
    {
      filter: 'memory',
      detail: `has ${formatBytes(available)} of ${memory} free, ${formatBytes(needed)} are needed`,
      needed,
      available,
    },
  ]
}

const isPresent = (refusal: Refusal | undefined): refusal is Refusal => refusal !== undefined

/** Puts a model to every filter for a node, so that the verdict holds each reason. */
export function judgeNode(input: PlacementInput, node: ClusterNode): NodeVerdict {
  const { needs, view } = input
  const all = view.onNode(node.id)
  const own = ownReplicas(input, node)
  const free = freeMemory(node)
  const needed = needs.memoryBytes ?? 0
  const conflicts = findConflicts(input, all.values())
  const disk = refuseDisk(input, node, own)
  const fixed = [
    refuseNode(input, node),
    refuseReplica(input, node, own),
    input.isDiskChecked ? disk : undefined,
  ].filter(isPresent)
  const plan = planEvictions(input, { node, conflicts, missingBytes: needed - (free.bytes ?? needed) })
  const soft = plan.kind === 'evict' ? [] : [...refuseGroup(conflicts), ...refuseMemory(needed, free.bytes, free.kind)]
  return {
    nodeId: node.id,
    nodeName: node.name,
    isPossible: fixed.length === 0 && plan.kind === 'evict',
    isBusy: fixed.length === 0 && plan.kind === 'busy',
    refusals: [...fixed, ...soft],
    warnings: !input.isDiskChecked && disk ? [disk] : [],
    replicaIndex: freeReplicaIndex(node, own),
    evictions: plan.kind === 'evict' ? plan.victims : [],
    inFlight: sumInFlight(all.values()),
    replicas: all.size,
    freeMemory: free.bytes,
  }
}
