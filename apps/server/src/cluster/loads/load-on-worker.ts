import { ensureSuccess, type PartialMessage } from '@svc/backend-client'
import { ModelOptions } from '@svc/backend-client/proto'
import { SvcError, toSvcError } from '@svc/errors'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { Logger } from '../../ports.ts'
import type { Messenger } from '../contract/messenger.ts'
import type { NodeRegistry, Replica } from '../contract/nodes.ts'
import { toProcessKey } from '../contract/process-key.ts'
import type { RevisionOf } from '../routing/model-revision.ts'
import type { WorkerClients } from '../routing/worker-clients.ts'
import { type InstallParts, installOnWorker } from './install-on-worker.ts'
import type { LoadJobs, LoadTarget } from './load-jobs.ts'
import type { RunLoad } from './load-runner.ts'
import { loadTimeoutMs } from './load-timeout.ts'
import { asNodeFailure, NodeFailure } from './node-failure.ts'
import { busAway, type PlaceParts, type TakenPlace, takePlace } from './place-replica.ts'
import { type LoadPlan, loadFailed, type PlanLoadParts, planLoad } from './plan-load.ts'
import type { ReplicaRows } from './replica-store.ts'
import { PlaceGone, whilePlaced } from './while-placed.ts'

/** Nodes that one load tries. */
const MAX_NODES = 3
/** Pause before nodes that failed are tried once more, milliseconds. */
const SECOND_ROUND_MS = 1000
/** Time to clean up after a failed load, milliseconds. */
const CLEAN_UP_MS = 60_000

/** Files of a model on their way to a worker. */
export type StageFiles = (
  request: PartialMessage<ModelOptions>,
  options: {
    readonly processKey: string
    readonly node: { readonly httpAddress: string; readonly nodeId: string }
    readonly onProgress: (progress: {
      readonly bytesSent: number
      readonly totalBytes: number
      readonly fileIndex: number
      readonly totalFiles: number
    }) => void
    readonly signal: AbortSignal
  },
) => Promise<PartialMessage<ModelOptions>>

/** Parts of {@link createLoadOnWorker}. */
export interface LoadOnWorkerParts extends PlaceParts, PlanLoadParts, Pick<InstallParts, 'galleries' | 'installMs'> {
  readonly nodes: Pick<NodeRegistry, 'reserveVram' | 'reportUnreachable'>
  readonly replicas: ReplicaRows
  readonly jobs: Pick<LoadJobs, 'list'>
  readonly messenger: Pick<Messenger, 'request' | 'subscribe' | 'isConnected'>
  readonly clients: WorkerClients
  readonly findModel: (name: string) => ModelConfig | undefined
  readonly revisionOf: RevisionOf
  readonly stage: StageFiles
  /** Stops a replica whatever it does. @returns whether it is gone */
  readonly kill: (replica: Replica, signal: AbortSignal) => Promise<boolean>
  /** @default by the size of the files */
  readonly loadMs: number | undefined
  readonly logger: Logger
}

/** Creates the function that does a load: takes a place, installs the backend, sends the files, loads the model. */
export function createLoadOnWorker(parts: LoadOnWorkerParts): RunLoad {
  return async (target, { signal, report }) => {
    const model = parts.findModel(target.model)
    if (model === undefined) throw loadFailed(target.model, 'the model is gone')
    if (parts.revisionOf(model) !== target.configRevision)
      throw loadFailed(target.model, 'its configuration has changed meanwhile')
    await removeRemains(target, parts, signal)
    const plan = await planLoad(model, parts, signal)
    const excludedNodes = new Set<string>()
    let failure: NodeFailure | undefined
    let isSecondRound = false
    for (;;) {
      const attempt: Attempt = { model, plan, target, report, signal, parts }
      try {
        return await loadSomewhere(attempt, excludedNodes)
      } catch (error) {
        // Without the bus no worker can be asked, and none is to blame.
        if (error instanceof NodeFailure && error.isUnreached && !parts.messenger.isConnected) throw busAway(model.name)
        if (error instanceof NodeFailure) {
          failure = error
          parts.logger.warn({ model: model.name, err: error }, 'a worker could not load a model')
          if (excludedNodes.size >= MAX_NODES) throw loadFailed(model.name, error.message, error)
        } else if (failure === undefined || failure.isUnreached || !isNoNode(error)) {
          throw error
        } else if (isSecondRound) {
          // The failure of the last one says more.
          throw loadFailed(model.name, failure.message, failure)
        } else {
          // No other node can hold the model: those that failed may do better now.
          isSecondRound = true
          excludedNodes.clear()
          await parts.clock.sleep(SECOND_ROUND_MS, { signal })
        }
      }
    }
  }
}

const isNoNode = (error: unknown): boolean => SvcError.is(error) && error.code === 'no_healthy_node'

interface Attempt {
  readonly model: ModelConfig
  readonly plan: LoadPlan
  readonly target: LoadTarget
  readonly report: Parameters<RunLoad>[1]['report']
  readonly signal: AbortSignal
  readonly parts: LoadOnWorkerParts
}

/** Removes replicas that a server has begun and left: no other load stands behind them. */
async function removeRemains({ key, model }: LoadTarget, parts: LoadOnWorkerParts, signal: AbortSignal): Promise<void> {
  const begun = (await parts.replicas.list({ model })).filter(({ state }) => state === 'staging' || state === 'loading')
  if (begun.length === 0) return
  const others = (await parts.jobs.list(model)).filter((job) => job.key !== key && job.state !== 'failed')
  // A load that has not told its worker yet may stand behind any of them.
  const isTaken = (id: string): boolean => others.some(({ nodeId = id }) => nodeId === id)
  for (const replica of begun) if (!isTaken(replica.nodeId)) await parts.kill(replica, signal)
}

async function loadSomewhere(attempt: Attempt, excludedNodes: Set<string>): Promise<void> {
  const { plan, target, report, signal, parts } = attempt
  const { configRevision, nodeId } = target
  // A place that is taken without the bus could not be given back.
  if (!parts.messenger.isConnected) throw busAway(target.model)
  const placing = { needs: plan.needs, configRevision, excludedNodes, nodeId }
  const row = { backend: plan.backends[0] ?? '', loadRequest: toBase64(plan.request) }
  const place = await takePlace(placing, row, parts, signal)
  report({ state: 'installing', nodeId: place.nodeId, nodeName: place.nodeName })
  try {
    await loadAt(place, attempt)
  } catch (error) {
    excludedNodes.add(place.nodeId)
    await giveUp(place, attempt)
    throw error
  }
}

function toBase64(request: PartialMessage<ModelOptions>): string {
  const message = ModelOptions.fromPartial(request as Parameters<typeof ModelOptions.fromPartial>[0])
  return Buffer.from(ModelOptions.encode(message).finish()).toString('base64')
}

/** Tries the backends in order. */
async function loadAt(place: TakenPlace, attempt: Attempt): Promise<void> {
  const { model, plan, signal } = attempt
  const reasons: string[] = []
  let failure: unknown
  for (const backend of plan.backends) {
    try {
      return await loadInto(backend, place, attempt)
    } catch (error) {
      signal.throwIfAborted()
      if (!(await isWanted(attempt))) throw stopped(model.name)
      failure = error
      const { message } = error instanceof NodeFailure ? error : toSvcError(error)
      reasons.push(plan.backends.length > 1 ? `${backend}: ${message}` : message)
    }
  }
  if (failure instanceof NodeFailure) {
    throw new NodeFailure(reasons.join('; '), { cause: failure, isUnreached: failure.isUnreached })
  }
  throw loadFailed(model.name, reasons.join('; '), failure)
}

async function loadInto(backend: string, place: TakenPlace, attempt: Attempt): Promise<void> {
  const { model, plan, report, signal, parts } = attempt
  const { replicas, clients } = parts
  const { replicaId, replicaIndex } = place
  const installing = { backend, model: model.name, place, report }
  const address = await installOnWorker(installing, parts, signal)
  if (!(await replicas.change(replicaId, { address, backend })))
    throw new NodeFailure('its place was taken away during the installation')
  report({ state: 'staging' })
  const processKey = toProcessKey(model.name, replicaIndex)
  const watch = { hasPlace: () => hasPlace(place, attempt), signal, clock: parts.clock }
  const options = { processKey, node: place, onProgress: report }
  const request = await whilePlaced((within) => parts.stage(plan.request, { ...options, signal: within }), watch).catch(
    (error: unknown) => {
      throw asNodeFailure(error, signal)
    },
  )
  report({ state: 'loading' })
  await replicas.change(replicaId, { state: 'loading' }, { from: ['staging'] })
  const connection = clients.take({ address, processKey }, place)
  try {
    const timeoutMs = loadTimeoutMs(plan.needs.sizeBytes, parts.loadMs)
    const load = (within: AbortSignal) => connection.client.loadModel(request, { signal: within, timeoutMs })
    ensureSuccess(await whilePlaced(load, watch))
  } catch (error) {
    signal.throwIfAborted()
    const failure = toSvcError(error)
    if (error instanceof PlaceGone || failure.kind === 'unavailable') throw asNodeFailure(error, signal)
    throw failure
  } finally {
    connection.release()
  }
  signal.throwIfAborted()
  if (!(await isWanted(attempt))) throw stopped(model.name)
  const loaded = { state: 'loaded', address, sizeVram: plan.needs.memoryBytes } as const
  if (!(await replicas.change(replicaId, loaded, { from: ['loading'] })))
    throw new NodeFailure('its place was taken away during the load')
}

async function hasPlace({ nodeId, replicaId }: TakenPlace, { model, parts }: Attempt): Promise<boolean> {
  return (await parts.replicas.list({ nodeId, model: model.name })).some(({ id }) => id === replicaId)
}

/** Whether somebody still wants the load: a stop of its model ends it in the list. */
async function isWanted({ target, parts }: Pick<Attempt, 'target' | 'parts'>): Promise<boolean> {
  return (await parts.jobs.list(target.model)).some(({ key, state }) => key === target.key && state !== 'failed')
}

const stopped = (model: string): SvcError => loadFailed(model, 'it was stopped meanwhile')

/**
 * Removes what a failed load has left at its worker. A load that another server goes on with is left to that one, which
 * finds the row.
 */
async function giveUp({ nodeId, replicaId, reservedBytes }: TakenPlace, { target, signal, parts }: Attempt) {
  const { nodes, replicas, kill, logger } = parts
  const reason: unknown = signal.aborted ? signal.reason : undefined
  const code = SvcError.is(reason) ? reason.code : undefined
  if (code === 'shutting_down') return
  try {
    if (code === 'load_lost' && (await isWanted({ target, parts }))) return
    if (reservedBytes > 0) await nodes.reserveVram(nodeId, -reservedBytes)
    const mine = (await replicas.list({ nodeId, model: target.model })).find(({ id }) => id === replicaId)
    if (mine !== undefined) await kill(mine, AbortSignal.timeout(CLEAN_UP_MS))
  } catch (error) {
    logger.warn({ model: target.model, err: error }, 'what a failed load has left at a worker stays for a while')
  }
}
