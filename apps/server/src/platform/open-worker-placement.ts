import { createHash } from 'node:crypto'
import { createBackendClient } from '@svc/backend-client'
import type { BackendCatalog } from '../backends/catalog.ts'
import type { Bus } from '../bus/bus.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import type { ModelNeeds } from '../cluster/decisions/placement-types.ts'
import { createLoadJobs, type LoadJobs } from '../cluster/loads/load-jobs.ts'
import { createLoadOnWorker } from '../cluster/loads/load-on-worker.ts'
import { createLoadRunner } from '../cluster/loads/load-runner.ts'
import { decidePlace, noHealthyNode } from '../cluster/loads/place-replica.ts'
import { planLoad, toNeeds } from '../cluster/loads/plan-load.ts'
import { createGrpcProbe } from '../cluster/reconcile/grpc-probe.ts'
import { createReconciler } from '../cluster/reconcile/reconciler.ts'
import { createModelShutdown } from '../cluster/reconcile/shutdown-model.ts'
import { stopReplica } from '../cluster/reconcile/stop-replica.ts'
import { createClusterCopy } from '../cluster/routing/cluster-copy.ts'
import { createClusterResidency } from '../cluster/routing/cluster-residency.ts'
import { createLoadWaits } from '../cluster/routing/load-waits.ts'
import { createRevisionOf } from '../cluster/routing/model-revision.ts'
import { createWorkersPlace, findServing } from '../cluster/routing/place-on-workers.ts'
import { createSharedPrefixes } from '../cluster/routing/prefix-events.ts'
import { createReplicaHealth } from '../cluster/routing/replica-health.ts'
import { createRunningUses } from '../cluster/routing/running-uses.ts'
import { createWorkerClients } from '../cluster/routing/worker-clients.ts'
import { measureModelFiles, stageModel } from '../cluster/staging/stage-model.ts'
import { withRemoteFiles } from '../cluster/staging/with-remote-files.ts'
import type { ServerConfig } from '../config/schema.ts'
import type { Database } from '../db/database.ts'
import { createPlacement, type Placement } from '../placement/placement.ts'
import type { Clock, Logger } from '../ports.ts'
import type { Residency } from '../residency/residency.ts'
import { toLoadRequest } from '../residency/to-load-request.ts'
import type { Settings } from '../settings/settings.ts'
import type { Closers } from './closers.ts'
import type { Cluster } from './open-data.ts'
import type { OpenUpstreams } from './open-upstreams.ts'

/** Parts of {@link openWorkerPlacement}. */
export interface WorkerPlacementParts extends Pick<OpenUpstreams, 'upstream'> {
  readonly config: ServerConfig
  readonly settings: Pick<Settings, 'get'>
  readonly cluster: Cluster
  readonly database: Database
  readonly bus: Bus
  readonly catalog: BackendCatalog
  /** Serves what does not run in a process of its own, and what has an address. */
  readonly residency: Residency
  readonly findModel: (name: string) => ModelConfig | undefined
  readonly checkFiles: (model: ModelConfig) => Promise<void>
  readonly clock: Clock
  readonly logger: Logger
}

/** The placement of a cluster. */
export interface WorkerPlacement {
  readonly placement: Placement
  /** The models of this server and of all workers. */
  readonly residency: Residency
  readonly jobs: LoadJobs
}

/** Places models on workers. Backends inside this process and those at addresses stay here. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list of parts in the order of their dependencies
export async function openWorkerPlacement(parts: WorkerPlacementParts, closers: Closers): Promise<WorkerPlacement> {
  const { config, settings, cluster, database, bus, catalog, residency, clock, logger } = parts
  const { instanceId: frontEnd, messenger, nodes: opened } = cluster
  const { directory: nodes, scheduling, replicas } = opened
  const token = config.registrationToken ?? ''
  const client = parts.upstream
  const isShared = config.distributedSharedModels
  const copy = createClusterCopy({ nodes, scheduling, replicas, frontEnd, clock, logger })
  const closing = new AbortController()
  const polling = copy.run(closing.signal)
  closers.push(
    () => copy.close(),
    bus.subscribe('loads.changed', copy.touch),
    async () => {
      closing.abort()
      await polling
    },
  )
  const clients = createWorkerClients((address, node) => {
    const backend = createBackendClient({ address, token })
    return isShared ? backend : withRemoteFiles(backend, { node, token, client, clock })
  })
  closers.push(() => clients.close())
  const uses = createRunningUses({ replicas, frontEnd, clock, logger })
  closers.push(() => uses.close())
  const health = createReplicaHealth({ clients, copy, replicas, nodes, messenger, bus, clock, logger })
  const prefixes = await createSharedPrefixes({
    messenger,
    frontEnd,
    now: () => clock.monotonic(),
    ttlMs: config.distributedPrefixCacheTtlMs,
  })
  closers.push(() => prefixes.close())
  // Every front end asks for the same load, so that a replica has the same revision for all.
  const randomSeed = toSeed(token)
  const toRequest = (model: ModelConfig) => toLoadRequest(model, { randomSeed })
  const revisionOf = createRevisionOf(toRequest)
  const folders = { models: config.modelsPath, data: config.dataPath }
  const announce = (model: string): void => {
    copy.touch()
    bus.publish('loads.changed', { model })
  }
  const planning = {
    toLoadRequest: toRequest,
    checkFiles: parts.checkFiles,
    measureFiles: (request: ReturnType<typeof toRequest>, signal: AbortSignal) =>
      measureModelFiles(request, { folders, signal }),
    catalog,
  }
  const placing = {
    copy,
    nodes,
    replicas,
    groupsOf: (name: string) => parts.findModel(name)?.concurrencyGroups ?? [],
    isDiskChecked: cluster.checksDiskHeadroom,
    isShared,
    stop: (replica: Parameters<typeof stopReplica>[0], signal: AbortSignal) =>
      stopReplica(replica, { messenger, replicas, signal }),
    clock,
  }
  const jobs = createLoadJobs(database)
  const run = createLoadOnWorker({
    ...placing,
    ...planning,
    jobs,
    messenger,
    clients,
    findModel: parts.findModel,
    revisionOf,
    stage: (request, options) => stageModel(request, { ...options, folders, token, isShared, client, clock }),
    galleries: () => JSON.stringify(settings.get('backend_galleries')),
    kill: (replica, signal) => stopReplica(replica, { messenger, replicas, signal, force: true }),
    installMs: config.backendInstallTimeoutMs,
    loadMs: config.modelLoadTimeoutMs,
    logger,
  })
  const runner = createLoadRunner({
    jobs,
    owner: frontEnd,
    run,
    installMs: config.backendInstallTimeoutMs,
    loadMs: config.modelLoadTimeoutMs ?? 0,
    onChange: announce,
    clock,
    logger,
  })
  closers.push(() => runner.close())
  const waits = createLoadWaits({
    jobs,
    runner,
    revisionOf,
    isServed: async (model) => findServing(await copy.read(), model, { revisionOf, health }).length > 0,
    async checkPlace(model) {
      const signal = AbortSignal.timeout(PLAN_MS)
      const { needs } = await planLoad(model, planning, signal)
      const wanted = { needs, configRevision: revisionOf(model), excludedNodes: new Set<string>() }
      const decision = decidePlace(await copy.read(), wanted, placing)
      if (decision.kind === 'none') throw noHealthyNode(model.name, decision.nodes)
    },
    bus,
    clock,
  })
  closers.push(() => waits.close())
  const workers = createWorkersPlace({
    copy,
    uses,
    clients,
    health,
    waits,
    prefixes,
    usesPrefixes: config.distributedPrefixCache,
    revisionOf,
    namesNodes: config.exposeNodeHeader,
    modelLoadWaitMs: config.modelLoadWaitMs,
    clock,
  })
  const staysHere = ({ backend }: ModelConfig): boolean => {
    const kind = catalog.resolve(backend)?.kind
    return kind === 'in-process' || kind === 'attach'
  }
  const placement = createPlacement({
    places: [residency, workers],
    choose: (model) => (staysHere(model) ? residency : workers),
  })
  const known = createKnownNeeds(async (model) => planning.measureFiles(toRequest(model), closing.signal))
  const cutsBusy = config.forceBackendShutdown
  const shutdown = createModelShutdown({ replicas, database, messenger, clock, cutsBusy })
  const clusterResidency = createClusterResidency({
    local: residency,
    load: placement.load,
    async shutdownModel(model, options) {
      try {
        return await shutdown(model, options)
      } finally {
        announce(model)
      }
    },
    signal: closing.signal,
    copy,
    uses,
    clients,
  })
  const probe = createGrpcProbe({ token })
  closers.push(() => probe.close())
  const reconciler = createReconciler({
    nodes,
    scheduling,
    replicas,
    jobs,
    messenger,
    database,
    startLoad: async (name, { replicaIndex, nodeId, key }) => {
      const model = parts.findModel(name)
      if (model === undefined) return false
      const target = { model: name, replicaIndex, configRevision: revisionOf(model) }
      if (key !== undefined) return runner.start({ ...target, key })
      const where = nodeId === undefined ? '' : `@${nodeId}`
      return runner.start({ ...target, key: `${name}${where}#${replicaIndex}`, nodeId })
    },
    needsOf: (name) => known.needs(parts.findModel(name)),
    revisionOf: (name) => {
      const model = parts.findModel(name)
      return model && revisionOf(model)
    },
    groupsOf: placing.groupsOf,
    isDiskChecked: placing.isDiskChecked,
    probe: probe.probe,
    clock,
    logger,
  })
  const reconciling = reconciler.run(closing.signal)
  closers.push(async () => {
    closing.abort()
    await reconciling
  })
  return { placement, residency: clusterResidency, jobs }
}

/** The figures of models that were measured. */
function createKnownNeeds(measure: (model: ModelConfig) => Promise<number>) {
  const sizes = new WeakMap<ModelConfig, number>()
  return {
    /** Before a model is measured, its size is not known. */
    needs(model: ModelConfig | undefined): ModelNeeds | undefined {
      if (model === undefined) return undefined
      const size = sizes.get(model)
      if (size === undefined) {
        sizes.set(model, 0)
        measure(model).then(
          (bytes) => sizes.set(model, bytes),
          () => undefined,
        )
      }
      return toNeeds(model, size ?? 0)
    },
  }
}

/** Longest look at the files of a model, milliseconds. */
const PLAN_MS = 30_000

/** A seed that all front ends have in common, 0 to 2147483647. */
function toSeed(token: string): number {
  return createHash('sha256').update(`seed ${token}`).digest().readUInt32BE(0) >>> 1
}
