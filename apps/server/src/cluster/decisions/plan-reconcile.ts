import type { Replica, Scheduling } from '../contract/nodes.ts'
import { choosePlacement } from './choose-placement.ts'
import { type ClusterIndex, createClusterIndex, isStaying } from './cluster-view.ts'
import type { PlacementDecision } from './placement-types.ts'
import { planRemovals, planStops, planSurplus } from './plan-removals.ts'
import type { AddReason, ReconcileAction, ReconcileInput } from './reconcile-types.ts'

/** Rounds in which a model was below its least number before it rests. */
const MAX_TICKS = 3
/** Steps after which the rest of the additions waits for the next round. */
const MAX_ACTIONS = 200
/** Rest of a model that no node can hold, milliseconds. */
const REST_MS = 5 * 60_000

interface Missing {
  readonly count: number
  readonly reason: AddReason
}

/** The plan as it grows: what later steps see. */
interface Draft {
  readonly input: ReconcileInput
  readonly index: ClusterIndex
  readonly rules: ReadonlyMap<string, Scheduling>
  readonly actions: ReconcileAction[]
}

/** Replicas that a model lacks, at most one for load. */
function findMissing({ index, input }: Draft, rules: Scheduling, replicas: readonly Replica[]): Missing | undefined {
  const staying = replicas.filter((replica) => isStaying(index, replica))
  // The placement finds the nodes that still lack one.
  if (rules.spreadAll) return { count: Math.max(0, [...index.nodes()].length - staying.length), reason: 'spread_all' }
  if (staying.length < rules.minReplicas) return { count: rules.minReplicas - staying.length, reason: 'below_min' }
  const revision = input.revisionOf(rules.model)
  const isAllBusy = staying.every(
    ({ state, inFlight, configRevision }) => state === 'loaded' && inFlight > 0 && configRevision === revision,
  )
  const hasRoom = rules.maxReplicas === 0 || staying.length < rules.maxReplicas
  return staying.length > 0 && isAllBusy && hasRoom ? { count: 1, reason: 'all_busy' } : undefined
}

function decide({ index, input, rules }: Draft, schedule: Scheduling): PlacementDecision | undefined {
  const needs = input.needsOf(schedule.model)
  if (!needs) return undefined
  const { isStagedOn } = input
  return choosePlacement({
    needs,
    view: index,
    scheduling: schedule,
    minReplicasOf: (model) => rules.get(model)?.minReplicas ?? 0,
    groupsOf: input.groupsOf,
    isStagedOn: isStagedOn && ((nodeId) => isStagedOn(needs.model, nodeId)),
    isDiskChecked: input.isDiskChecked,
  })
}

/** Makes room in the draft, so that the next placement sees this one. */
function apply(
  { index, input }: Draft,
  schedule: Scheduling,
  placement: Extract<PlacementDecision, { kind: 'chosen' }>,
): void {
  for (const { id } of placement.evictions) index.removeReplica(id)
  const node = index.node(placement.nodeId)
  if (!node) return
  const freed = placement.evictions.reduce((sum, { sizeVram }) => sum + (sizeVram ?? 0), 0)
  const taken = input.needsOf(schedule.model)?.memoryBytes ?? 0
  index.setNode({ ...node, reservedVram: node.reservedVram + taken - freed })
  index.setReplica({
    id: `planned ${placement.nodeId} ${schedule.model} ${placement.replicaIndex}`,
    nodeId: placement.nodeId,
    model: schedule.model,
    replicaIndex: placement.replicaIndex,
    processKey: `${schedule.model}#${placement.replicaIndex}`,
    address: '',
    state: 'loading',
    backend: '',
    configRevision: input.revisionOf(schedule.model) ?? '',
    sizeVram: taken,
    inFlight: 0,
    createdAt: input.now,
    usedAt: input.now,
    cleanupError: undefined,
  })
}

/** Adds what is missing. @returns whether no node can hold all of it, whatever ends */
function addMissing(draft: Draft, schedule: Scheduling, missing: Missing): boolean {
  for (let added = 0; added < missing.count; added += 1) {
    if (draft.actions.length >= MAX_ACTIONS) return false
    const placement = decide(draft, schedule)
    if (placement?.kind !== 'chosen') return placement?.kind === 'none'
    // A replica for load evicts nothing: the model that would go may be as busy as this one a moment later.
    if (missing.reason === 'all_busy' && placement.evictions.length > 0) return false
    draft.actions.push({ kind: 'add', model: schedule.model, reason: missing.reason, placement })
    apply(draft, schedule, placement)
  }
  return false
}

/** Counts the rounds without success; after the last one the model rests. */
function note(draft: Draft, schedule: Scheduling, isUnsatisfiable: boolean): void {
  const { unsatisfiableTicks: ticks, unsatisfiableUntil, model } = schedule
  if (!isUnsatisfiable) {
    if (ticks > 0 || unsatisfiableUntil !== undefined)
      draft.actions.push({ kind: 'note', model, ticks: 0, restUntil: undefined })
    return
  }
  const isOver = ticks + 1 >= MAX_TICKS
  draft.actions.push({
    kind: 'note',
    model,
    ticks: isOver ? 0 : ticks + 1,
    restUntil: isOver ? draft.input.now + REST_MS : undefined,
  })
}

function planModel(draft: Draft, schedule: Scheduling): void {
  const { index, input } = draft
  const replicas = [...index.ofModel(schedule.model).values()]
  for (const removal of planSurplus(replicas, schedule, input)) {
    draft.actions.push(removal)
    index.setReplica({ ...removal.replica, state: 'unloading' })
  }
  if (schedule.unsatisfiableUntil !== undefined && schedule.unsatisfiableUntil > input.now) return
  const missing = findMissing(draft, schedule, [...index.ofModel(schedule.model).values()])
  const isRefused = missing !== undefined && addMissing(draft, schedule, missing)
  note(draft, schedule, isRefused && missing.reason === 'below_min')
}

/**
 * Plans the steps from the state of a cluster to the one that the rules ask for: rows without a process and processes
 * without a row go, replicas of old revisions and idle ones go, the least numbers are restored, models whose replicas
 * are all busy get one more.
 */
export function planReconcile(input: ReconcileInput): readonly ReconcileAction[] {
  const rules = new Map(input.schedules.map((schedule) => [schedule.model, schedule]))
  const index = createClusterIndex({ nodes: input.view.nodes(), replicas: input.replicas })
  const draft: Draft = { input, index, rules, actions: [...planStops(input)] }
  for (const removal of planRemovals(input, rules)) {
    draft.actions.push(removal)
    // A process that has to stop keeps its place until it is gone.
    if (removal.reason === 'node_gone' || removal.reason === 'not_running') index.removeReplica(removal.replica.id)
    else index.setReplica({ ...removal.replica, state: 'unloading' })
  }
  for (const schedule of input.schedules) planModel(draft, schedule)
  return draft.actions
}
