import type { Replica } from '../../contract/nodes.ts'
import { choosePlacement } from '../choose-placement.ts'
import { chooseReplica } from '../choose-replica.ts'
import { findEligible } from '../eligible-replicas.ts'
import { judgeHealth } from '../node-health.ts'
import { planReconcile } from '../plan-reconcile.ts'
import { createPrefixIndex, type PrefixIndex } from '../prefix-index.ts'
import { createMeasures, type Measures, percentile } from './simulation-measures.ts'
import { createEventQueue, createRandom } from './simulation-random.ts'
import { createTraffic, type Turn } from './simulation-traffic.ts'
import { createWorld } from './simulation-world.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const ROUND_MS = 30_000
const HEARTBEAT_MS = 10_000
const GIVE_UP_MS = 60_000

export interface SimulationOptions {
  readonly seed: number
  readonly nodes: number
  readonly models: number
  readonly requests: number
  readonly days: number
  /** Front ends, each with an index of its own. */
  readonly frontEnds: number
  /** Mean time between two failures of one node, hours. */
  readonly failureHours: number
  readonly policy: 'least_loaded' | 'round_robin' | 'prefix_cache'
}

/** Runs a cluster through days of requests and failures with the decision functions of the server. */
export function simulate(options: SimulationOptions): Measures {
  const random = createRandom(options.seed)
  const measures = createMeasures()
  const world = createWorld({ nodes: options.nodes, models: options.models, random })
  const endsAt = options.days * DAY_MS
  const traffic = createTraffic({ models: options.models, requestsPerMs: options.requests / endsAt, random })
  const queue = createEventQueue()
  const indexes = Array.from({ length: options.frontEnds }, () => createPrefixIndex())
  const truth = createPrefixIndex({ maxPairs: 20_000_000 })
  const shared = createPrefixIndex({ maxPairs: 20_000_000 })
  const waiting = new Map<string, (() => void)[]>()
  const heartbeats = new Map<string, number>()
  let now = 0
  let turnNumber = 0

  // Processor time: the clock on the wall also counts when other programs run.
  const timed = <Result>(times: number[], decide: () => Result): Result => {
    const start = process.cpuUsage()
    const result = decide()
    const { user, system } = process.cpuUsage(start)
    times.push((user + system) / 1000)
    return result
  }
  /** A decision is a function of its values. Its middle of three more is without collections of what else lives here. */
  const timedAgain = <Result>(first: number[], middle: number[], decide: () => Result): Result => {
    const result = timed(first, decide)
    const again: number[] = []
    for (let count = 0; count < 3; count += 1) timed(again, decide)
    middle.push(percentile(again, 0.5))
    return result
  }
  const forget = ({ model, nodeId, replicaIndex }: Replica): void => {
    for (const index of [...indexes, truth]) index.forget(model, { nodeId, replicaIndex })
  }
  const drop = (replica: Replica): void => {
    world.remove(replica.id)
    forget(replica)
  }
  const load = (model: string, placement: Placed): void => {
    for (const victim of placement.evictions) drop(victim)
    measures.evictions += placement.evictions.length
    const replica = world.begin(model, placement.nodeId, placement.replicaIndex, now)
    const loadMs = 5000 + (world.needsOf(model).sizeBytes ?? 0) / 1_000_000
    queue.add(now + loadMs, () => {
      if (!world.view.replica(replica.id)) return
      if (world.dead.has(replica.nodeId)) return drop(replica)
      world.finish(replica.id, now)
      const resumed = waiting.get(model) ?? []
      waiting.delete(model)
      for (const resume of resumed) resume()
    })
  }
  const loadCold = (turn: Turn, arrivedAt: number, resume: () => void): void => {
    const isLoading = [...world.view.ofModel(turn.model).values()].some(({ state }) => state === 'loading')
    if (now - arrivedAt > GIVE_UP_MS) {
      measures.unplaced += 1
      return
    }
    if (isLoading) {
      waiting.set(turn.model, [...(waiting.get(turn.model) ?? []), resume])
      return
    }
    const decision = timedAgain(measures.placementMs, measures.placementAgainMs, () =>
      choosePlacement({
        needs: world.needsOf(turn.model),
        view: world.view,
        scheduling: world.schedulingOf(turn.model),
        minReplicasOf: world.minReplicasOf,
        isDiskChecked: true,
      }),
    )
    if (decision.kind !== 'chosen') {
      queue.add(now + 500, resume)
      return
    }
    measures.coldStarts += 1
    load(turn.model, decision)
    waiting.set(turn.model, [...(waiting.get(turn.model) ?? []), resume])
  }
  const measureChoice = (turn: Turn, replica: Replica, replicas: readonly Replica[]): void => {
    const { chain, model } = turn
    const shareOf = (index: PrefixIndex, isAllowed: (key: { nodeId: string; replicaIndex: number }) => boolean) =>
      index.find({ chain, now, isAllowed, limit: 1 })[0]?.share ?? 0
    const isReplica = (one: Replica, key: { nodeId: string; replicaIndex: number }): boolean =>
      one.nodeId === key.nodeId && one.replicaIndex === key.replicaIndex
    if (replicas.length > 1) {
      measures.choices += 1
      measures.hitShare += shareOf(truth, (key) => isReplica(replica, key))
      measures.bestShare += shareOf(truth, (key) => replicas.some((one) => isReplica(one, key)))
      measures.boundShare += shareOf(shared, () => true)
      noteRequest(measures, { replica, replicas, now })
    }
    truth.observe(model, { chain, replica, now })
    shared.observe(model, { chain, replica: { nodeId: 'all', replicaIndex: 0 }, now })
  }
  const tell = (turn: Turn, replica: Replica, self: PrefixIndex): void => {
    const observed = { chain: turn.chain, replica, now }
    if (!self.observe(turn.model, observed)) return
    // One message in a hundred is lost.
    for (const index of indexes) if (index !== self && random.next() > 0.01) index.observe(turn.model, observed)
  }
  const ask = (turn: Turn, arrivedAt: number, onDone: () => void): void => {
    const { model, chain } = turn
    const again = (): void => ask(turn, arrivedAt, onDone)
    const self = indexes[random.below(indexes.length)]
    if (!self) return
    const scheduling = world.schedulingOf(model)
    const replicas = findEligible({ view: world.view, model, scheduling, configRevision: 'r1' })
    turnNumber += 1
    const choice = timed(measures.choiceMs, () =>
      chooseReplica({
        model,
        replicas,
        scheduling,
        defaultPolicy: options.policy,
        chain,
        prefixes: self,
        now,
        turn: turnNumber,
      }),
    )
    if (!choice) return loadCold(turn, arrivedAt, again)
    const { replica } = choice
    if (world.dead.has(replica.nodeId)) {
      measures.rerouted += 1
      drop(replica)
      return again()
    }
    measureChoice(turn, replica, replicas)
    tell(turn, replica, self)
    change(replica.id, 1)
    const replyMs = 500 + random.exponential(20_000)
    queue.add(now + replyMs, () => {
      if (change(replica.id, -1)) onDone()
      else measures.cut += 1
    })
  }
  const change = (id: string, by: number): boolean => {
    const replica = world.view.replica(id)
    if (!replica || world.dead.has(replica.nodeId)) return false
    world.view.setReplica({ ...replica, inFlight: replica.inFlight + by, usedAt: now })
    return true
  }
  const converse = (turns: Generator<Turn>): void => {
    const step = turns.next()
    if (step.done || now > endsAt || measures.requests >= options.requests) return
    measures.requests += 1
    const { thinkMs } = step.value
    ask(step.value, now, () => {
      if (thinkMs !== undefined) queue.add(now + thinkMs, () => converse(turns))
    })
  }
  const arrive = (): void => {
    if (now > endsAt || measures.requests >= options.requests) return
    converse(traffic.converse())
    queue.add(now + traffic.pause(now), arrive)
  }
  const fail = (nodeId: string, downMs: number): void => {
    if (world.dead.has(nodeId)) return
    measures.nodeFailures += 1
    world.dead.add(nodeId)
    heartbeats.set(nodeId, now - random.below(HEARTBEAT_MS))
    queue.add(now + downMs, () => {
      for (const replica of [...world.view.onNode(nodeId).values()]) drop(replica)
      world.dead.delete(nodeId)
      heartbeats.delete(nodeId)
      const node = world.view.node(nodeId)
      if (node) world.view.setNode({ ...node, status: 'healthy' })
    })
  }
  const failOne = (): void => {
    if (now > endsAt) return
    fail(`n${String(random.below(options.nodes)).padStart(4, '0')}`, 60_000 + random.exponential(600_000))
    queue.add(now + random.exponential((options.failureHours * HOUR_MS) / options.nodes), failOne)
  }
  /** A tenth of the nodes loses its power. */
  const failZone = (): void => {
    for (const node of [...world.view.nodes()]) if (node.labels['zone'] === 'z3') fail(node.id, HOUR_MS)
  }
  const watch = (): void => {
    for (const [nodeId, heartbeatAt] of heartbeats) {
      const node = world.view.node(nodeId)
      if (node) world.view.setNode({ ...node, status: judgeHealth({ status: node.status, heartbeatAt }, now) })
    }
  }
  const reconcile = (): void => {
    if (now > endsAt) return
    watch()
    const replicas = [...world.view.replicas()]
    const actions = timed(measures.reconcileMs, () =>
      planReconcile({
        now,
        view: world.view,
        replicas,
        schedules: world.schedules,
        needsOf: world.needsOf,
        revisionOf: () => 'r1',
        groupsOf: () => [],
        isDiskChecked: true,
        running: new Map(),
        runningAt: now,
      }),
    )
    measures.rounds += 1
    if (actions.some((action) => action.kind === 'add' && action.reason === 'below_min')) measures.roundsBelowMin += 1
    for (const action of actions) {
      if (action.kind === 'remove') drop(action.replica)
      else if (action.kind === 'add') load(action.model, action.placement)
    }
    measures.overcommitted += world.countOvercommitted()
    queue.add(now + ROUND_MS, reconcile)
  }

  queue.add(0, reconcile)
  queue.add(5 * 60_000, arrive)
  queue.add(HOUR_MS, failOne)
  queue.add(endsAt / 2, failZone)
  queue.drain((at) => {
    now = at
  })
  return measures
}

type Placed = Extract<ReturnType<typeof choosePlacement>, { kind: 'chosen' }>

/** Notes a request at its replica, and its even share at each replica that could have got it. */
function noteRequest(
  measures: Measures,
  { replica, replicas, now }: { readonly replica: Replica; readonly replicas: readonly Replica[]; readonly now: number },
): void {
  const key = `${Math.floor(now / DAY_MS)} ${replica.model}`
  const group = measures.load.get(key) ?? new Map<string, { requests: number; even: number }>()
  measures.load.set(key, group)
  for (const { id } of replicas) {
    const row = group.get(id) ?? { requests: 0, even: 0 }
    group.set(id, row)
    row.even += 1 / replicas.length
    if (id === replica.id) row.requests += 1
  }
}
