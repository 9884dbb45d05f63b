import type { Replica, Scheduling } from '../contract/nodes.ts'
import { isStaying } from './cluster-view.ts'
import { isSelected } from './node-filters.ts'
import type { ReconcileAction, ReconcileInput, RemoveReason } from './reconcile-types.ts'

/** A replica above the least number is dropped after this long without a request, milliseconds. */
const IDLE_MS = 5 * 60_000

const isLoaded = ({ state }: Replica): boolean => state === 'loaded' || state === 'idle'

/** Why the row says something that is not so. */
function judgeRow(input: ReconcileInput, replica: Replica): RemoveReason | undefined {
  const node = input.view.node(replica.nodeId)
  if (!node || node.status === 'offline') return 'node_gone'
  const running = input.running.get(replica.nodeId)
  if (!running || !isLoaded(replica) || replica.createdAt >= input.runningAt) return undefined
  const isRunning = running.some(
    ({ model, replicaIndex, address }) =>
      model === replica.model &&
      replicaIndex === replica.replicaIndex &&
      (address === '' || address === replica.address),
  )
  return isRunning ? undefined : 'not_running'
}

/** Why the process must go although it runs. */
function judgeProcess(
  input: ReconcileInput,
  replica: Replica,
  rules: Scheduling | undefined,
): RemoveReason | undefined {
  if (!isLoaded(replica)) return undefined
  if (replica.configRevision !== input.revisionOf(replica.model)) return 'stale_revision'
  const node = input.view.node(replica.nodeId)
  return node && rules && !isSelected(node, rules.nodeSelector) ? 'not_selected' : undefined
}

/** Rows without a process, and processes that nobody may use. */
export function planRemovals(
  input: ReconcileInput,
  rules: ReadonlyMap<string, Scheduling>,
): readonly Extract<ReconcileAction, { kind: 'remove' }>[] {
  const actions: Extract<ReconcileAction, { kind: 'remove' }>[] = []
  for (const replica of input.replicas) {
    const reason = judgeRow(input, replica) ?? judgeProcess(input, replica, rules.get(replica.model))
    if (reason) actions.push({ kind: 'remove', replica, reason })
  }
  return actions
}

/**
 * Replicas of a model that are not needed. Those without a running request go: first those of nodes that drain, then the
 * least recently used.
 */
export function planSurplus(
  replicas: readonly Replica[],
  rules: Scheduling,
  { now, view }: Pick<ReconcileInput, 'now' | 'view'>,
): readonly Extract<ReconcileAction, { kind: 'remove' }>[] {
  const loaded = replicas.filter(isLoaded)
  const floor = Math.max(1, rules.minReplicas)
  let count = loaded.length
  const seenNodes = new Set<string>()
  const isSecondOnNode = ({ nodeId }: Replica): boolean => {
    if (!rules.spreadAll) return false
    const isSecond = seenNodes.has(nodeId)
    seenNodes.add(nodeId)
    return isSecond
  }
  const actions: Extract<ReconcileAction, { kind: 'remove' }>[] = []
  const seconds = new Set(loaded.toSorted((a, b) => a.replicaIndex - b.replicaIndex).filter(isSecondOnNode))
  const stays = (replica: Replica): number => (isStaying(view, replica) ? 1 : 0)
  const inOrder = loaded.toSorted((a, b) => stays(a) - stays(b) || a.usedAt - b.usedAt || (a.id < b.id ? -1 : 1))
  for (const replica of inOrder) {
    const isOver = (rules.maxReplicas > 0 && count > rules.maxReplicas) || seconds.has(replica)
    const isUnused = !rules.spreadAll && now - replica.usedAt > IDLE_MS
    if (replica.inFlight > 0 || count <= floor || !(isOver || isUnused)) continue
    actions.push({ kind: 'remove', replica, reason: isOver ? 'surplus' : 'idle' })
    count -= 1
  }
  return actions
}

/** Processes that no row knows. A load writes its row before it asks the worker. */
export function planStops(input: ReconcileInput): readonly Extract<ReconcileAction, { kind: 'stop' }>[] {
  const actions: Extract<ReconcileAction, { kind: 'stop' }>[] = []
  for (const [nodeId, processes] of input.running) {
    const rows = [...input.view.onNode(nodeId).values()]
    for (const process of processes) {
      const isKnown = rows.some(
        ({ model, replicaIndex }) => model === process.model && replicaIndex === process.replicaIndex,
      )
      if (!isKnown) actions.push({ kind: 'stop', nodeId, process })
    }
  }
  return actions
}
