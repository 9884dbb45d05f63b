import { SvcError } from '@svc/errors'
import type { Clock } from '../../ports.ts'
import type { ClusterNode, NodeRegistry, Replica } from '../contract/nodes.ts'
import { choosePlacement } from '../decisions/choose-placement.ts'
import { createClusterIndex } from '../decisions/cluster-view.ts'
import type { ModelNeeds, NodeVerdict, PlacementDecision, PlacementInput } from '../decisions/placement-types.ts'
import type { ClusterCopy, ClusterSnapshot } from '../routing/cluster-copy.ts'
import type { ReplicaRows } from './replica-store.ts'

/** Longest wait for a place, milliseconds. */
const PATIENCE_MS = 5 * 60_000
const RETRY_MS = 500
/** Delay after which a request that found no place may come again, milliseconds. */
const NO_NODE_RETRY_MS = 5000
const MAX_REASONS = 5

/** Parts of a placement. */
export interface PlaceParts {
  readonly copy: Pick<ClusterCopy, 'read'>
  readonly nodes: Pick<NodeRegistry, 'reserveVram'>
  readonly replicas: Pick<ReplicaRows, 'add'>
  readonly groupsOf: (model: string) => readonly string[]
  readonly isDiskChecked: () => boolean
  /** Whether all nodes have the files of the models. */
  readonly isShared: boolean
  /** Stops a replica without a running request. @returns whether it is gone */
  readonly stop: (replica: Replica, signal: AbortSignal) => Promise<boolean>
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
}

/** A model to place. */
export interface Placing {
  readonly needs: ModelNeeds
  readonly configRevision: string
  /** Nodes that failed just now. */
  readonly excludedNodes: ReadonlySet<string>
  /** The only node that is taken. @default any */
  readonly nodeId?: string | undefined
}

/** A place that was taken for a replica. */
export interface TakenPlace {
  readonly nodeId: string
  readonly nodeName: string
  /** `host:port` of the first backend of the node. */
  readonly address: string
  readonly httpAddress: string
  readonly replicaIndex: number
  /** Id of the row. */
  readonly replicaId: string
  /** Bytes that were reserved. */
  readonly reservedBytes: number
}

/** Decides where one more replica would go at this moment. Replicas of another revision do not count: they go first. */
export function decidePlace(
  { view, rulesOf }: ClusterSnapshot,
  { needs, configRevision, excludedNodes, nodeId: onlyNode }: Placing,
  { groupsOf, isDiskChecked, isShared }: Pick<PlaceParts, 'groupsOf' | 'isDiskChecked' | 'isShared'>,
): PlacementDecision {
  const isOld = (replica: Replica): boolean =>
    replica.model === needs.model && replica.configRevision !== configRevision
  const nodes = [...view.nodes()]
  const input: PlacementInput = {
    needs,
    view: createClusterIndex({
      nodes: nodes
        .filter(({ id }) => onlyNode === undefined || id === onlyNode)
        .map((node) => withoutReplicas(node, [...view.onNode(node.id).values()].filter(isOld))),
      replicas: nodes.flatMap(({ id }) => [...view.onNode(id).values()].filter((replica) => !isOld(replica))),
    }),
    scheduling: rulesOf(needs.model),
    minReplicasOf: (model) => rulesOf(model).minReplicas,
    groupsOf,
    isDiskChecked: isDiskChecked(),
    excludedNodes,
    ...(isShared ? { isStagedOn: () => true } : {}),
  }
  return choosePlacement(input)
}

/** A node whose replicas have given back their memory. */
function withoutReplicas(node: ClusterNode, replicas: readonly Replica[]): ClusterNode {
  const freed = replicas.reduce((sum, { sizeVram }) => sum + (sizeVram ?? 0), 0)
  return freed === 0 ? node : { ...node, reservedVram: node.reservedVram - freed }
}

/**
 * Takes a place for a replica: chooses a node, stops what has to go first, and writes the row. Waits for running requests
 * to end where every fitting node is busy.
 *
 * @throws {SvcError} `no_healthy_node` (unavailable); the signal's reason
 */
export async function takePlace(
  placing: Placing,
  row: { readonly backend: string; readonly loadRequest: string },
  parts: PlaceParts,
  signal: AbortSignal,
): Promise<TakenPlace> {
  const { copy, replicas, nodes, clock } = parts
  const { needs, configRevision } = placing
  const until = clock.monotonic() + PATIENCE_MS
  for (;;) {
    signal.throwIfAborted()
    const snapshot = await copy.read({ signal })
    const decision = decidePlace(snapshot, placing, parts)
    if (decision.kind === 'none') throw noHealthyNode(needs.model, decision.nodes, decision.reason)
    if (decision.kind === 'chosen') {
      const { nodeId, nodeName, replicaIndex, evictions } = decision
      const stale = [...snapshot.view.ofModel(needs.model).values()].filter(
        (replica) => replica.nodeId === nodeId && replica.configRevision !== configRevision,
      )
      const isFree = await stopAll([...evictions, ...stale], parts, signal)
      const replicaId = isFree
        ? await replicas.add({ nodeId, model: needs.model, replicaIndex, state: 'staging', configRevision, ...row })
        : undefined
      if (replicaId !== undefined) {
        const reservedBytes = needs.memoryBytes ?? 0
        if (reservedBytes > 0) await nodes.reserveVram(nodeId, reservedBytes)
        const { address = '', httpAddress = '' } = snapshot.view.node(nodeId) ?? {}
        return { nodeId, nodeName, address, httpAddress, replicaIndex, replicaId, reservedBytes }
      }
    }
    if (clock.monotonic() >= until) throw noHealthyNode(needs.model, decision.kind === 'wait' ? decision.nodes : [])
    await clock.sleep(decision.kind === 'wait' ? decision.retryMs : RETRY_MS, { signal })
  }
}

/** @returns whether all are gone */
async function stopAll(all: readonly Replica[], { stop }: PlaceParts, signal: AbortSignal): Promise<boolean> {
  let isFree = true
  for (const replica of all) {
    if (replica.inFlight > 0 || !(await stop(replica, signal))) isFree = false
  }
  return isFree
}

/** The error of a model that no node can hold. */
export function noHealthyNode(
  model: string,
  nodes: readonly NodeVerdict[],
  reason?: Extract<PlacementDecision, { kind: 'none' }>['reason'],
): SvcError {
  const reasons = nodes
    .slice(0, MAX_REASONS)
    .map(({ nodeName, isBusy, refusals }) => `${nodeName}: ${isBusy ? 'busy' : (refusals[0]?.detail ?? 'refused')}`)
  const none = reason === 'max_replicas' ? 'it has as many replicas as its rules allow' : 'there are no workers'
  const why = nodes.length === 0 ? none : reasons.join('; ')
  return new SvcError('unavailable', `no healthy node for model "${model}": ${why}`, {
    code: 'no_healthy_node',
    retryAfterMs: NO_NODE_RETRY_MS,
  })
}

/** The error of a model that is not loaded while no worker can be asked. */
export function busAway(model: string): SvcError {
  return new SvcError('unavailable', `no healthy node for model "${model}": the message bus is not connected`, {
    code: 'no_healthy_node',
    retryAfterMs: NO_NODE_RETRY_MS,
  })
}
