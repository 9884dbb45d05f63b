import { SvcError, toSvcError } from '@svc/errors'
import type { ModelConfig } from '../catalog/model-config.ts'
import { identifyWeights } from '../catalog/weights-identity.ts'
import type { BackendTraceRecorder } from '../monitoring/recorders.ts'
import type { Clock, Logger } from '../ports.ts'
import type { LoadCooldown } from './cooldown.ts'
import type { EvictionQueue } from './eviction-queue.ts'
import type { LoadFailures } from './load-failures.ts'
import { isRefusal, type ModelLoader } from './load-model.ts'
import { createLoadWaiters, type LoadWaiters } from './load-waiters.ts'
import type { ModelLease, Resident } from './resident.ts'
import type { ResidentTable } from './resident-table.ts'
import { findModelFile } from './to-load-request.ts'

/** Delay after which a request that waited too long may come again. */
const LOADING_RETRY_MS = 2000

/** One load, with the requests that wait for it. */
export interface PendingLoad {
  readonly model: ModelConfig
  readonly revision: string
  /** The running load of an earlier revision; this one waits for it. */
  previous: PendingLoad | undefined
  readonly waiters: LoadWaiters<ModelLease>
  /** Requests that need the model loaded but take no lease. */
  readonly onlookers: LoadWaiters<void>
  readonly stop: AbortController
  /** Settles when the load is over; never rejects. */
  done: Promise<void>
  state: 'waiting' | 'loading'
  /** Time at which its backend was called. Monotonic milliseconds; undefined before. */
  loadingSince: number | undefined
  isForgotten: boolean
}

/** Context of a load. */
export interface LoadContext {
  readonly table: ResidentTable
  readonly loader: ModelLoader
  readonly cooldown: LoadCooldown
  readonly failures: LoadFailures
  readonly evictionQueue: EvictionQueue
  /** Whether a loaded model takes memory of its own. */
  takesMemory(model: ModelConfig): boolean
  /** Removes the load, so that the next request starts another one. */
  leave(load: PendingLoad): void
  /** Called with the result of every load that was tried. */
  readonly onLoad?:
    | ((model: string, load: { readonly seconds: number; readonly isFailed: boolean }) => void)
    | undefined
  /** @default no traces */
  readonly traces?: BackendTraceRecorder | undefined
  readonly clock: Clock
  readonly logger: Logger
}

/** Creates a load that has not started. */
export function createPendingLoad(
  model: ModelConfig,
  options: { readonly revision: string; readonly previous: PendingLoad | undefined; readonly clock: Clock },
): PendingLoad {
  return {
    model,
    revision: options.revision,
    previous: options.previous,
    waiters: createLoadWaiters(options.clock),
    onlookers: createLoadWaiters(options.clock),
    stop: new AbortController(),
    done: Promise.resolve(),
    state: 'waiting',
    loadingSince: undefined,
    isForgotten: false,
  }
}

/** Runs a load and settles all waiting requests. Never rejects. */
export async function runLoad(load: PendingLoad, context: LoadContext): Promise<void> {
  try {
    await load.previous?.done
    load.previous = undefined
    // Two copies may not fit into memory, and an address would free the model that it has just loaded.
    await context.table.whenStopped(load.model.name)
    const present = await findPresent(load, context.table)
    if (present === undefined) await startLoad(load, context)
    else serve(load, present, context)
  } catch (error) {
    const reason: unknown = load.stop.signal.aborted ? load.stop.signal.reason : error
    if (!isRefusal(reason)) context.logger.error({ model: load.model.name, err: reason }, 'model could not be loaded')
    context.leave(load)
    load.waiters.refuseAll(reason)
    load.onlookers.refuseAll(reason)
  }
}

async function startLoad(load: PendingLoad, context: LoadContext): Promise<void> {
  const { model, revision, stop } = load
  const { cooldown, failures, evictionQueue, loader, table } = context
  stop.signal.throwIfAborted()
  const programs = await findPrograms(load, context)
  stop.signal.throwIfAborted()
  cooldown.check(model.name)
  const giveBack = context.takesMemory(model)
    ? await evictionQueue.admit({
        name: model.name,
        groups: model.concurrencyGroups,
        signal: stop.signal,
        isWanted: () => !load.waiters.isEmpty() || !load.onlookers.isEmpty(),
      })
    : () => undefined
  try {
    load.state = 'loading'
    load.loadingSince = context.clock.monotonic()
    const trace = context.traces?.begin({
      type: 'model_load',
      modelName: model.name,
      backend: programs.map(({ name }) => name).join(', '),
      summary: `load ${model.name}`,
      span: context.traces.openSpan({}),
    })
    // Before the load: weights that are replaced meanwhile are not taken for those that were loaded.
    const weights = await identifyWeights(findModelFile(model), model.parameters.model ?? '')
    const backend = await loader.load(model, { programs, signal: stop.signal }).catch((error: unknown) => {
      trace?.end(error)
      context.onLoad?.(model.name, { seconds: sinceLoading(load, context), isFailed: true })
      if (!isRefusal(stop.signal.aborted ? stop.signal.reason : error)) {
        cooldown.failed(model.name)
        failures.add(model.name, error)
      }
      throw error
    })
    trace?.end()
    context.onLoad?.(model.name, { seconds: sinceLoading(load, context), isFailed: false })
    cooldown.succeeded(model.name)
    failures.remove(model.name)
    serve(load, table.keep({ model, revision, backend, weights }), context)
  } finally {
    // Only after the waiters have their leases: an idle model could be evicted at once.
    giveBack()
  }
}

/** Finds the programs of a load. A missing one is a failed load, until it is there. */
async function findPrograms({ model }: PendingLoad, { loader, cooldown, failures }: LoadContext) {
  try {
    const programs = await loader.find(model)
    cooldown.found(model.name)
    return programs
  } catch (error) {
    cooldown.check(model.name)
    cooldown.failed(model.name, { missing: toSvcError(error).message })
    failures.add(model.name, error)
    throw error
  }
}

const sinceLoading = ({ loadingSince }: PendingLoad, { clock }: LoadContext): number =>
  (clock.monotonic() - (loadingSince ?? clock.monotonic())) / 1000

/** Gives leases to all waiters before other work runs. */
function serve(load: PendingLoad, resident: Resident, context: LoadContext): void {
  load.stop.signal.throwIfAborted()
  // Before the waiters are rejected: a request that comes back at once must not join a finished load.
  context.leave(load)
  load.waiters.admitAll(() => resident.lease())
  load.onlookers.admitAll(() => undefined)
  if (load.isForgotten) void context.table.retire(resident)
}

/** Gives the resident that can serve the load now. */
async function findPresent(load: PendingLoad, table: ResidentTable): Promise<Resident | undefined> {
  for (;;) {
    const present = await reuse(load, table)
    // It may have been retired during its health check.
    if (present === undefined || present.isTrusted()) return present
  }
}

/** Gives a resident of the load's revision that still answers; retires any other of that name. */
async function reuse({ model, revision, stop }: PendingLoad, table: ResidentTable): Promise<Resident | undefined> {
  const present = table.get(model.name)
  await present?.draining?.catch(() => undefined)
  if (present === undefined || table.get(model.name) !== present) return undefined
  const isSame = present.revision === revision
  if (isSame && (present.isTrusted() || (await present.isReachable(stop.signal)))) return present
  await table.retire(present)
  return undefined
}

/** Aborts a load and those of earlier revisions; all waiters get the reason. */
export function abortLoad(load: PendingLoad, reason: SvcError): void {
  for (let each: PendingLoad | undefined = load; each !== undefined; each = each.previous) each.stop.abort(reason)
}

/**
 * Creates the error of §7.2 for a running load. The fields beside the model are those of a file transfer, which a local
 * load lacks.
 */
export function stillLoading({ model, state }: PendingLoad): SvcError {
  const transfer = { progress: 0, bytes_sent: 0, total_bytes: 0, file_index: 0, total_files: 0 }
  return new SvcError('unavailable', `model "${model.name}" is still loading`, {
    code: 'model_loading',
    retryAfterMs: LOADING_RETRY_MS,
    details: { type: 'model_loading', loading: { model: model.name, state, ...transfer } },
  })
}
