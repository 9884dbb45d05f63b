import type { Replica } from '../contract/nodes.ts'
import { toProcessKey } from '../contract/process-key.ts'
import { createClusterIndex } from '../decisions/cluster-view.ts'
import { planReconcile } from '../decisions/plan-reconcile.ts'
import type { ReconcileAction, RunningProcess } from '../decisions/reconcile-types.ts'
import { inBatches } from './in-batches.ts'
import type { ClusterState } from './observe-cluster.ts'
import type { ReconcilerParts } from './reconciler-parts.ts'
import { stopReplica } from './stop-replica.ts'

/** Processes that are stopped at the same time. */
const STOPPED = 16

type Parts = Pick<
  ReconcilerParts,
  | 'scheduling'
  | 'replicas'
  | 'messenger'
  | 'startLoad'
  | 'needsOf'
  | 'revisionOf'
  | 'hasWeights'
  | 'groupsOf'
  | 'isDiskChecked'
  | 'logger'
>

/** Makes plans, and remembers what the last one has seen. */
export interface Planner {
  /** Plans the steps to the wanted state. Rows that change at the moment are left alone. */
  plan(state: ClusterState): Promise<readonly ReconcileAction[]>
}

/**
 * Creates the planner of a server. A revision counts as old in the second plan that finds it so: this server may not
 * know the latest change of the model yet. Without the weights of a model it does not judge the replicas of servers that
 * have them.
 */
export function createPlanner(parts: Omit<Parts, 'replicas' | 'messenger' | 'startLoad' | 'logger'>): Planner {
  const { hasWeights = () => true } = parts
  let staleBefore: ReadonlySet<string> = new Set()
  return {
    async plan(state) {
      const isStale = ({ model, configRevision }: Replica): boolean => configRevision !== parts.revisionOf(model)
      const stale = state.replicas.filter(isStale)
      const unsure = new Set(
        stale.filter(({ id, model }) => !staleBefore.has(id) || !hasWeights(model)).map(({ id }) => id),
      )
      staleBefore = new Set(stale.map(({ id }) => id))
      return planSteps(parts, state, unsure)
    },
  }
}

async function planSteps(
  parts: Omit<Parts, 'replicas' | 'messenger' | 'startLoad' | 'logger'>,
  { nodes, settled, askedAt, running, ...state }: ClusterState,
  unsure: ReadonlySet<string>,
): Promise<readonly ReconcileAction[]> {
  const replicas = state.replicas.map((row) => ({
    ...row,
    // A row is compared with the processes only if it is older than the question.
    createdAt: settled.has(row.id) ? row.createdAt : askedAt,
    ...(unsure.has(row.id) ? toCurrent(row, parts.revisionOf(row.model)) : {}),
  }))
  const actions = planReconcile({
    now: askedAt,
    view: createClusterIndex({ nodes, replicas }),
    replicas,
    schedules: await parts.scheduling.list(),
    needsOf: parts.needsOf,
    revisionOf: parts.revisionOf,
    groupsOf: parts.groupsOf,
    isDiskChecked: parts.isDiskChecked(),
    running,
    runningAt: askedAt,
  })
  return actions.filter(
    (action) =>
      action.kind !== 'remove' ||
      (settled.has(action.replica.id) && !(action.reason === 'stale_revision' && unsure.has(action.replica.id))),
  )
}

/** A row that seems to be of an old revision: it is neither replaced nor helped. */
function toCurrent({ configRevision }: Replica, current = configRevision): Partial<Replica> {
  return { configRevision: current, inFlight: 0 }
}

/** Carries the steps out, the quick ones first. A step that fails is logged; the next round plans it again. */
export async function carryOut(parts: Parts, actions: readonly ReconcileAction[], signal: AbortSignal): Promise<void> {
  const attempt = async (action: ReconcileAction): Promise<void> => {
    signal.throwIfAborted()
    try {
      await perform(parts, action, signal)
    } catch (error) {
      signal.throwIfAborted()
      parts.logger.warn({ step: action.kind, err: error }, 'a step of the reconciler failed')
    }
  }
  for (const action of actions) if (action.kind !== 'stop') await attempt(action)
  await inBatches(
    actions.filter(({ kind }) => kind === 'stop'),
    STOPPED,
    attempt,
  )
}

async function perform(parts: Parts, action: ReconcileAction, signal: AbortSignal): Promise<void> {
  const { scheduling, startLoad, logger } = parts
  switch (action.kind) {
    case 'add': {
      const { model, reason, placement } = action
      const { nodeId, replicaIndex } = placement
      if (await startLoad(model, { nodeId, replicaIndex })) {
        logger.info({ model, node: placement.nodeName, reason }, 'the load of another replica begins')
      }
      return
    }
    case 'remove':
      return removeReplica(parts, action)
    case 'note':
      return scheduling.noteOutcome(action.model, { ticks: action.ticks, restUntil: action.restUntil })
    case 'stop':
      return stopUnknown(parts, action, signal)
  }
}

/**
 * Removes a row without a process. A replica with a process gets no requests from now on; its process is stopped when
 * its running requests have ended.
 */
async function removeReplica(
  { replicas, logger }: Parts,
  { replica, reason }: Extract<ReconcileAction, { kind: 'remove' }>,
): Promise<void> {
  const { id, model, nodeId, address } = replica
  const hasProcess = reason !== 'node_gone' && reason !== 'not_running'
  const isDone = hasProcess
    ? await replicas.change(id, { state: 'unloading', cleanupInMs: 0 }, { from: ['loaded', 'idle'] })
    : await replicas.remove(id, { address })
  if (isDone) logger.info({ model, node: nodeId, reason }, 'a replica is removed')
}

/**
 * Stops a process that no row knows. A row keeps its place meanwhile, so that no load can begin that takes over the
 * process which is about to end.
 */
async function stopUnknown(
  { replicas, messenger, logger }: Parts,
  { nodeId, process }: { readonly nodeId: string; readonly process: RunningProcess },
  signal: AbortSignal,
): Promise<void> {
  const { model, replicaIndex, address } = process
  const place = { nodeId, model, replicaIndex }
  const id = await replicas.add({ ...place, state: 'unloading', backend: '', configRevision: '', loadRequest: '' })
  if (id === undefined) return
  await replicas.change(id, { address })
  const row = (await replicas.list({ nodeId, model })).find((each) => each.id === id)
  if (row === undefined) return
  logger.warn({ process: toProcessKey(model, replicaIndex), node: nodeId }, 'a process that no replica has is stopped')
  await stopReplica(row, { messenger, replicas, signal, force: true })
}
