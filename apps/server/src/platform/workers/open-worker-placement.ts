import type { ModelConfig } from '../../catalog/model-config.ts'
import { createStagingList } from '../../cluster/loads/staging-list.ts'
import { createFolderWitness } from '../../cluster/reconcile/folder-witness.ts'
import { createModelShutdown } from '../../cluster/reconcile/shutdown-model.ts'
import { type ClusterCopy, createClusterCopy } from '../../cluster/routing/cluster-copy.ts'
import { createClusterResidency } from '../../cluster/routing/cluster-residency.ts'
import { createFailedModels } from '../../cluster/routing/failed-models.ts'
import { createLoadWaits } from '../../cluster/routing/load-waits.ts'
import { createWorkersPlace, findModelState } from '../../cluster/routing/place-on-workers.ts'
import { createSharedPrefixes } from '../../cluster/routing/prefix-events.ts'
import { createReplicaHealth } from '../../cluster/routing/replica-health.ts'
import { createRunningUses, type RunningUses } from '../../cluster/routing/running-uses.ts'
import { createWatchedReplicas } from '../../cluster/routing/watched-replicas.ts'
import type { WorkerClients } from '../../cluster/routing/worker-clients.ts'
import { createPlacement, type Placement, type PlaceResidency } from '../../placement/placement.ts'
import { createLoadCooldown } from '../../residency/cooldown.ts'
import type { Residency, WatchedModel } from '../../residency/residency.ts'
import type { Closers } from '../closers.ts'
import { openClients } from './open-clients.ts'
import { openLoads, type WorkerLoads } from './open-loads.ts'
import { openReconciler } from './open-reconciler.ts'
import { openRetirement } from './open-retirement.ts'
import type { WorkerPlacementParts } from './worker-parts.ts'

/** The models of this server and of all workers. */
export interface WorkerPlacement {
  readonly placement: Placement
  readonly residency: Residency
  /** The loaded replicas, for those who stop models that are not used. */
  readonly watched: () => readonly WatchedModel[]
  /**
   * Lets the replicas of changed models go.
   *
   * @returns those whose processes have not ended yet. Never rejects
   */
  readonly settle: (models: readonly string[]) => Promise<number>
}

/** Places models on workers. Backends inside this process and those at addresses stay here. */
export async function openWorkerPlacement(parts: WorkerPlacementParts, closers: Closers): Promise<WorkerPlacement> {
  const { cluster, bus, catalog, residency, clock, logger } = parts
  const { instanceId: frontEnd } = cluster
  const { directory: nodes, scheduling, replicas } = cluster.nodes
  const closing = new AbortController()
  const copy = createClusterCopy({ nodes, scheduling, replicas, frontEnd, clock, logger })
  const polling = copy.run(closing.signal)
  closers.push(
    () => copy.close(),
    bus.subscribe('loads.changed', copy.touch),
    async () => {
      closing.abort()
      await polling
    },
  )
  const clients = openClients(parts, closers)
  const announce = (model: string): void => bus.publish('loads.changed', { model })
  const loads = openLoads(parts, { copy, clients, announce }, closers)
  const uses = createRunningUses({ replicas, frontEnd, clock, logger })
  closers.push(() => uses.close())
  const workers = await openWorkers(parts, { copy, clients, loads, uses }, closers)
  const staysHere = ({ backend }: ModelConfig): boolean => {
    const kind = catalog.resolve(backend)?.kind
    return kind === 'in-process' || kind === 'attach'
  }
  const placement = createPlacement({
    places: [residency, workers],
    choose: (model) => (staysHere(model) ? residency : workers),
  })
  const staging = createStagingList({ jobs: loads.jobs, bus, clock, logger })
  closers.push(() => staging.close())
  parts.operations.addStaging(staging.source)
  const folder = createFolderWitness(parts.config.modelsPath, clock)
  openReconciler(parts, { copy, clients, folder }, loads, closers)
  const retirement = openRetirement(parts, { copy, uses, loads, announce, folder }, closers)
  const watched = createWatchedReplicas({
    copy,
    uses,
    findModel: parts.findModel,
    letGo: retirement.letGo,
    kill: (replica) => loads.kill(replica, closing.signal).finally(() => announce(replica.model)),
    clock,
  })
  const shutdown = createModelShutdown({
    replicas,
    database: parts.database,
    messenger: cluster.messenger,
    clock,
    cutsBusy: parts.config.forceBackendShutdown,
  })
  return {
    placement,
    watched,
    settle: retirement.settle,
    residency: createClusterResidency({
      local: residency,
      load: placement.load,
      shutdownModel: (model, options) => shutdown(model, options).finally(() => announce(model)),
      signal: closing.signal,
      copy,
      uses,
      clients,
    }),
  }
}

/** Opens the place of the workers: the health of replicas, prefixes, and requests that wait for a load. */
async function openWorkers(
  { config, cluster, bus, findModel, shareModels, clock, logger }: WorkerPlacementParts,
  {
    copy,
    clients,
    loads,
    uses,
  }: {
    readonly copy: ClusterCopy
    readonly clients: WorkerClients
    readonly loads: WorkerLoads
    readonly uses: RunningUses
  },
  closers: Closers,
): Promise<PlaceResidency> {
  const { messenger, instanceId: frontEnd } = cluster
  const { directory: nodes, replicas } = cluster.nodes
  const { jobs, runner, revisionOf, checkPlace } = loads
  const health = createReplicaHealth({ clients, copy, replicas, nodes, messenger, bus, clock, logger })
  const prefixes = await createSharedPrefixes({
    messenger,
    frontEnd,
    now: () => clock.monotonic(),
    ttlMs: config.distributedPrefixCacheTtlMs,
  })
  closers.push(() => prefixes.close())
  const waits = createLoadWaits({
    jobs,
    runner,
    revisionOf,
    findModel,
    followModels: shareModels,
    findState: async (model, signal) => findModelState(await copy.read({ signal }), model, { revisionOf, health }),
    checkPlace,
    failures: createFailedModels(createLoadCooldown({ firstMs: config.modelLoadFailureCooldownMs, clock }), revisionOf),
    bus,
    clock,
  })
  closers.push(() => waits.close())
  return createWorkersPlace({
    copy,
    uses,
    clients,
    health,
    waits,
    prefixes,
    usesPrefixes: config.distributedPrefixCache,
    revisionOf,
    findModel,
    hearsHints: () => messenger.isConnected,
    namesNodes: config.exposeNodeHeader,
    modelLoadWaitMs: config.modelLoadWaitMs,
    clock,
  })
}
