import { createHash } from 'node:crypto'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { Replica } from '../../cluster/contract/nodes.ts'
import { createLoadJobs, type LoadJobs } from '../../cluster/loads/load-jobs.ts'
import { createLoadOnWorker } from '../../cluster/loads/load-on-worker.ts'
import { createLoadRunner, type LoadRunner } from '../../cluster/loads/load-runner.ts'
import { busAway, decidePlace, noHealthyNode } from '../../cluster/loads/place-replica.ts'
import { planLoad } from '../../cluster/loads/plan-load.ts'
import { stopReplica } from '../../cluster/reconcile/stop-replica.ts'
import type { ClusterCopy } from '../../cluster/routing/cluster-copy.ts'
import { createRevisionOf, type RevisionOf } from '../../cluster/routing/model-revision.ts'
import type { WorkerClients } from '../../cluster/routing/worker-clients.ts'
import { measureModelFiles, stageModel } from '../../cluster/staging/stage-model.ts'
import { toLoadRequest } from '../../residency/to-load-request.ts'
import type { Closers } from '../closers.ts'
import type { WorkerPlacementParts } from './worker-parts.ts'

/** Others look every two seconds while they wait. */
const LEAST_TELL_MS = 3000
const MOST_TELL_MS = 15_000

type LoadRequest = ReturnType<typeof toLoadRequest>

/** Longest look at the files of a model, milliseconds. */
const PLAN_MS = 30_000

/** The loads of this server on workers. */
export interface WorkerLoads {
  readonly jobs: LoadJobs
  readonly runner: LoadRunner
  readonly revisionOf: RevisionOf
  readonly groupsOf: (model: string) => readonly string[]
  /** Stops a replica whatever it does. @returns whether it is gone */
  readonly kill: (replica: Replica, signal: AbortSignal) => Promise<boolean>
  /** Bytes of the files of a model. @throws where its configuration is not usable; the signal's reason */
  readonly measure: (model: ModelConfig, signal: AbortSignal) => Promise<number>
  /** @throws {SvcError} `no_healthy_node` (unavailable) for a model that no node can hold now; `model_load_failed` */
  readonly checkPlace: (model: ModelConfig, signal: AbortSignal) => Promise<void>
}

/** Opens the loads of this server. */
export function openLoads(
  parts: WorkerPlacementParts,
  shared: {
    readonly copy: ClusterCopy
    readonly clients: WorkerClients
    readonly announce: (model: string) => void
  },
  closers: Closers,
): WorkerLoads {
  const { config, settings, cluster, database, catalog, findModel, upstream: client, clock, logger } = parts
  const { messenger, checksDiskHeadroom: isDiskChecked } = cluster
  const { directory: nodes, replicas } = cluster.nodes
  const {
    registrationToken: token = '',
    distributedSharedModels: isShared,
    backendInstallTimeoutMs: installMs,
  } = config
  const { copy, clients } = shared
  // Models that the server ships have a folder of their own.
  const foldersOf = ({ ModelPath: models }: LoadRequest) => ({
    models: models === undefined || models === '' ? config.modelsPath : models,
    data: config.dataPath,
  })
  // Every front end asks for the same load, so that a replica has the same revision for all.
  const randomSeed = toSeed(token)
  const toRequest = (model: ModelConfig) => toLoadRequest(model, { randomSeed })
  const stop = (replica: Replica, signal: AbortSignal, force = false): Promise<boolean> =>
    stopReplica(replica, { messenger, replicas, signal, force })
  const kill = (replica: Replica, signal: AbortSignal): Promise<boolean> => stop(replica, signal, true)
  const planning = {
    toLoadRequest: toRequest,
    checkFiles: parts.checkFiles,
    measureFiles: (request: LoadRequest, signal: AbortSignal) =>
      measureModelFiles(request, { folders: foldersOf(request), signal }),
    catalog,
  }
  const groupsOf = (name: string): readonly string[] => findModel(name)?.concurrencyGroups ?? []
  const placing = { copy, nodes, replicas, groupsOf, isDiskChecked, isShared, stop, clock }
  const revisionOf = createRevisionOf(toRequest)
  const jobs = createLoadJobs(database)
  const run = createLoadOnWorker({
    ...placing,
    ...planning,
    jobs,
    messenger,
    clients,
    findModel,
    revisionOf,
    stage: (request, options) =>
      stageModel(request, { ...options, folders: foldersOf(request), token, isShared, client, clock }),
    galleries: () => JSON.stringify(settings.get('backend_galleries')),
    kill,
    installMs,
    loadMs: config.modelLoadTimeoutMs,
    logger,
  })
  const runner = createLoadRunner({
    jobs,
    owner: cluster.instanceId,
    run,
    installMs,
    loadMs: config.modelLoadTimeoutMs ?? 0,
    tellMs: Math.min(Math.max(config.modelLoadFailureCooldownMs, LEAST_TELL_MS), MOST_TELL_MS),
    onChange: shared.announce,
    clock,
    logger,
  })
  closers.push(() => runner.close())
  return {
    jobs,
    runner,
    revisionOf,
    groupsOf,
    kill,
    measure: async (model, signal) => planning.measureFiles(toRequest(model), signal),
    async checkPlace(model, given) {
      if (!messenger.isConnected) throw busAway(model.name)
      const signal = AbortSignal.any([given, AbortSignal.timeout(PLAN_MS)])
      const { needs } = await planLoad(model, planning, signal)
      const wanted = { needs, configRevision: revisionOf(model), excludedNodes: new Set<string>() }
      const decision = decidePlace(await copy.read({ signal }), wanted, placing)
      if (decision.kind === 'none') throw noHealthyNode(model.name, decision.nodes, decision.reason)
    },
  }
}

/** A seed that all front ends have in common, 0 to 2147483647. */
function toSeed(token: string): number {
  return createHash('sha256').update(`seed ${token}`).digest().readUInt32BE(0) >>> 1
}
