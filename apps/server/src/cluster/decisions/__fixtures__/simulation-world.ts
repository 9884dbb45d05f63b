import type { ClusterNode, Replica, Scheduling } from '../../contract/nodes.ts'
import { type ClusterIndex, createClusterIndex } from '../cluster-view.ts'
import type { ModelNeeds } from '../placement-types.ts'
import { aNode, GIB, rules } from './cluster.ts'
import type { RandomSource } from './simulation-random.ts'

/** A cluster as it really is, beside the view that the decisions have of it. */
export interface World {
  readonly view: ClusterIndex
  readonly schedules: readonly Scheduling[]
  readonly schedulingOf: (model: string) => Scheduling
  readonly needsOf: (model: string) => ModelNeeds
  readonly minReplicasOf: (model: string) => number
  /** Nodes that are dead, whatever the view says. */
  readonly dead: Set<string>
  /** Begins a load: memory is reserved. */
  begin(model: string, nodeId: string, replicaIndex: number, now: number): Replica
  /** Ends a load: the live free memory is less. */
  finish(id: string, now: number): void
  /** Removes a replica; its memory is free again. */
  remove(id: string): void
  /** Nodes whose memory holds more than it has. */
  countOvercommitted(): number
}

const VRAM_GIB = [24, 24, 48, 80]
const MODEL_GIB = [2, 4, 5, 8, 8, 15, 20]

function makeNodes(count: number, random: RandomSource): readonly ClusterNode[] {
  return Array.from({ length: count }, (_, index) => {
    const totalVram = (VRAM_GIB[random.below(VRAM_GIB.length)] ?? 24) * GIB
    return aNode(`n${String(index).padStart(4, '0')}`, {
      totalVram,
      availableVram: totalVram,
      maxReplicas: 2,
      labels: { zone: `z${index % 10}` },
    })
  })
}

/** The most asked models are kept in several replicas. */
function makeRules(model: string, rank: number, models: number): Scheduling | undefined {
  if (rank < models / 1000) return rules(model, { minReplicas: 8, maxReplicas: 16 })
  if (rank < models / 100) return rules(model, { minReplicas: 3, maxReplicas: 8 })
  if (rank < models / 20) return rules(model, { minReplicas: 2, maxReplicas: 4 })
  return undefined
}

/** Creates a cluster without replicas. Models are `m0`, `m1` and so on, the most asked first. */
export function createWorld({
  nodes,
  models,
  random,
}: {
  readonly nodes: number
  readonly models: number
  readonly random: RandomSource
}): World {
  const view = createClusterIndex({ nodes: makeNodes(nodes, random) })
  const needs = new Map<string, ModelNeeds>()
  const schedules: Scheduling[] = []
  for (let rank = 0; rank < models; rank += 1) {
    const model = `m${rank}`
    const sizeBytes = (MODEL_GIB[random.below(MODEL_GIB.length)] ?? 8) * GIB
    needs.set(model, { model, sizeBytes, memoryBytes: sizeBytes * 1.1, concurrencyGroups: [] })
    const schedule = makeRules(model, rank, models)
    if (schedule) schedules.push(schedule)
  }
  const byModel = new Map(schedules.map((schedule) => [schedule.model, schedule]))
  const memoryOf = (model: string): number => needs.get(model)?.memoryBytes ?? 0
  const change = (nodeId: string, available: number, reserved: number): void => {
    const node = view.node(nodeId)
    if (!node) return
    view.setNode({
      ...node,
      availableVram: node.availableVram + available,
      reservedVram: node.reservedVram + reserved,
    })
  }
  let count = 0
  return {
    view,
    schedules,
    schedulingOf: (model) => byModel.get(model) ?? rules(model),
    needsOf: (model) => needs.get(model) ?? { model, sizeBytes: 0, memoryBytes: 0, concurrencyGroups: [] },
    minReplicasOf: (model) => byModel.get(model)?.minReplicas ?? 0,
    dead: new Set(),
    begin(model, nodeId, replicaIndex, now) {
      count += 1
      const replica: Replica = {
        id: `r${count}`,
        nodeId,
        model,
        replicaIndex,
        processKey: `${model}#${replicaIndex}`,
        address: `${nodeId}:${count}`,
        state: 'loading',
        backend: 'llama',
        configRevision: 'r1',
        sizeVram: memoryOf(model),
        inFlight: 0,
        createdAt: now,
        usedAt: now,
        cleanupError: undefined,
      }
      change(nodeId, 0, memoryOf(model))
      view.setReplica(replica)
      return replica
    },
    finish(id, now) {
      const replica = view.replica(id)
      if (!replica) return
      change(replica.nodeId, -memoryOf(replica.model), -memoryOf(replica.model))
      view.setReplica({ ...replica, state: 'loaded', usedAt: now })
    },
    remove(id) {
      const replica = view.replica(id)
      if (!replica) return
      const bytes = memoryOf(replica.model)
      if (replica.state === 'loading') change(replica.nodeId, 0, -bytes)
      else change(replica.nodeId, bytes, 0)
      view.removeReplica(id)
    },
    countOvercommitted: () => [...view.nodes()].filter((node) => node.availableVram < node.reservedVram - 1).length,
  }
}
