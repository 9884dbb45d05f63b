import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { PlacementContext, PlaceResidency } from '../../placement/placement.ts'
import type { Clock } from '../../ports.ts'
import type { ModelLease } from '../../residency/residency.ts'
import type { Replica } from '../contract/nodes.ts'
import { chooseReplica } from '../decisions/choose-replica.ts'
import { findEligible } from '../decisions/eligible-replicas.ts'
import { freeMemory } from '../decisions/node-memory.ts'
import type { ClusterCopy, ClusterSnapshot } from './cluster-copy.ts'
import { type LoadWaits, MODEL_CHANGED } from './load-waits.ts'
import type { SharedPrefixes } from './prefix-events.ts'
import { promptBeginning } from './prompt-beginning.ts'
import type { ReplicaHealth } from './replica-health.ts'
import type { RunningUses } from './running-uses.ts'
import type { WorkerClients } from './worker-clients.ts'

/** The name of the workers among the places of models. */
const WORKERS_PLACE = 'workers'
const HEALTH_WAIT_MS = 3000

/** Parts of {@link createWorkersPlace}. */
export interface WorkersPlaceParts {
  readonly copy: Pick<ClusterCopy, 'current' | 'read'>
  readonly uses: Pick<RunningUses, 'begin' | 'count'>
  readonly clients: WorkerClients
  readonly health: ReplicaHealth
  readonly waits: Pick<LoadWaits, 'join'>
  readonly prefixes: SharedPrefixes
  readonly usesPrefixes: boolean
  readonly revisionOf: (model: ModelConfig) => string
  /** Finds a model as it is now. */
  readonly findModel: (name: string) => ModelConfig | undefined
  /** Whether hints can tell of a change. While they cannot, each request reads the state. */
  readonly hearsHints: () => boolean
  /** Whether clients learn the names of workers. */
  readonly namesNodes: boolean
  /** Maximum time that a request waits for a load, milliseconds; 0 waits without limit. */
  readonly modelLoadWaitMs: number
  readonly clock: Pick<Clock, 'monotonic'>
}

/**
 * The models on workers: each request goes to one of the replicas of its model, which is loaded first if need be. A
 * request whose model changes while it waits goes to the changed model.
 */
export function createWorkersPlace(parts: WorkersPlaceParts): PlaceResidency {
  const { copy, waits, hearsHints, findModel, clock, modelLoadWaitMs } = parts
  const route = createRoute(parts)

  /** Waits until the model is served. @returns it as it is then */
  async function join(model: ModelConfig, options: Parameters<LoadWaits['join']>[1]): Promise<ModelConfig> {
    try {
      await waits.join(model, options)
      return model
    } catch (error) {
      if (!SvcError.is(error) || error.code !== MODEL_CHANGED) throw error
      const now = findModel(model.name)
      if (now === undefined || now.disabled) throw removedMeanwhile(model)
      return now
    }
  }
  return {
    place: WORKERS_PLACE,
    async acquire(asked: ModelConfig, context: PlacementContext): Promise<ModelLease> {
      const { signal } = context
      const begun = clock.monotonic()
      let model = asked
      for (;;) {
        signal.throwIfAborted()
        const snapshot = (hearsHints() ? copy.current() : undefined) ?? (await copy.read({ signal }))
        const lease = await route(model, snapshot, context)
        if (lease !== undefined) return lease
        const waitMs = modelLoadWaitMs === 0 ? 0 : Math.max(1, modelLoadWaitMs - (clock.monotonic() - begun))
        model = await join(model, { signal, waitMs })
      }
    },
    async load(asked, { signal }) {
      let model: ModelConfig | undefined
      for (let next = asked; next !== model; ) {
        model = next
        next = await join(next, { signal, waitMs: 0 })
      }
    },
  }
}

function removedMeanwhile({ name }: ModelConfig): SvcError {
  return new SvcError('not_found', `there is no model "${name}"`, { code: 'model_not_found' })
}

/** Finds replicas of a model that may get requests as far as this server knows. */
function findServing(
  snapshot: ClusterSnapshot,
  model: ModelConfig,
  parts: Pick<WorkersPlaceParts, 'revisionOf' | 'health'>,
): readonly Replica[] {
  return findCurrent(snapshot, model, parts).filter((replica) => !parts.health.isAvoided(replica))
}

/**
 * Says whether a model can be asked. A replica that does not answer is asked again, so that it serves when it is back and
 * its row goes when its worker has noticed.
 */
export async function findModelState(
  snapshot: ClusterSnapshot,
  model: ModelConfig,
  parts: Pick<WorkersPlaceParts, 'revisionOf' | 'health'>,
): Promise<'served' | 'lost' | 'none'> {
  const eligible = findCurrent(snapshot, model, parts)
  if (eligible.length === 0) return 'none'
  if (eligible.some((replica) => !parts.health.isAvoided(replica))) return 'served'
  for (const replica of eligible) {
    const node = snapshot.view.node(replica.nodeId)
    const signal = AbortSignal.timeout(HEALTH_WAIT_MS)
    if (node !== undefined && (await parts.health.check(replica, node, signal).catch(() => false))) return 'served'
  }
  return 'lost'
}

function findCurrent(
  { view, rulesOf }: ClusterSnapshot,
  model: ModelConfig,
  { revisionOf }: Pick<WorkersPlaceParts, 'revisionOf'>,
): readonly Replica[] {
  const { name } = model
  return findEligible({ view, model: name, scheduling: rulesOf(name), configRevision: revisionOf(model) })
}

function createRoute(parts: WorkersPlaceParts) {
  const { copy, hearsHints, health, uses, prefixes, usesPrefixes, clock } = parts
  let turn = 0

  function choose(
    model: ModelConfig,
    { view, rulesOf }: ClusterSnapshot,
    replicas: readonly Replica[],
    chain: readonly number[],
  ) {
    turn += 1
    return chooseReplica({
      model: model.name,
      replicas,
      scheduling: rulesOf(model.name),
      defaultPolicy: usesPrefixes ? 'prefix_cache' : 'least_loaded',
      chain,
      prefixes,
      now: clock.monotonic(),
      inFlightOf: ({ id, inFlight }) => inFlight + uses.count(id),
      freeMemoryOf: (nodeId) => {
        const node = view.node(nodeId)
        return node === undefined ? 0 : (freeMemory(node).bytes ?? 0)
      },
      turn,
    })
  }
  /** @returns undefined when no replica may get the request */
  return async (model: ModelConfig, first: ClusterSnapshot, { request, signal }: PlacementContext) => {
    const name = model.name
    let snapshot = first
    const tried = new Set<string>()
    let chain: readonly number[] | undefined
    for (;;) {
      const replicas = findServing(snapshot, model, parts).filter(({ id }) => !tried.has(id))
      // A prompt is read only where there is a choice, or others may have one later.
      chain ??= usesPrefixes && request !== undefined ? prefixes.readChain(name, promptBeginning(request)) : []
      const replica = choose(model, snapshot, replicas, chain)?.replica
      const node = replica && snapshot.view.node(replica.nodeId)
      if (replica === undefined || node === undefined) return undefined
      const lease = createLease(replica, node, parts)
      try {
        if (health.isTrusted(replica) || (await health.check(replica, node, signal))) {
          if (chain.length > 0) prefixes.observe(name, { chain, replica })
          return lease
        }
      } catch (error) {
        lease.release()
        throw error
      }
      lease.release()
      tried.add(replica.id)
      // The other replicas may have been let go while this one was asked.
      if (hearsHints()) snapshot = copy.current() ?? snapshot
    }
  }
}

function createLease(
  replica: Replica,
  node: { readonly name: string; readonly httpAddress: string },
  { uses, clients, health, namesNodes }: Pick<WorkersPlaceParts, 'uses' | 'clients' | 'health' | 'namesNodes'>,
): ModelLease {
  const { client, release } = clients.take(replica, node)
  const end = uses.begin(replica.id)
  return {
    client,
    place: node.name,
    ...(namesNodes ? { node: node.name } : {}),
    backend: replica.backend,
    release() {
      end()
      release()
    },
    reportFailure(error) {
      if (!SvcError.is(error)) return
      if (error.code === 'model_not_loaded' || error.code === 'model_identity_mismatch') void health.drop(replica)
      else if (error.kind === 'unavailable') health.suspect(replica)
    },
    hasDied: async () => !(await health.check(replica, node, AbortSignal.timeout(HEALTH_WAIT_MS)).catch(() => false)),
  }
}
