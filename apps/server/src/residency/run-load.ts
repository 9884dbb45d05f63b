import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../catalog/model-config.ts'
import type { Clock, Logger } from '../ports.ts'
import type { LoadCooldown } from './cooldown.ts'
import type { EvictionQueue } from './eviction-queue.ts'
import { createWaitingRoom, type WaitingRoom } from './load-coalescing.ts'
import { isRefusal, type ModelLoader } from './load-model.ts'
import type { ModelLease, Resident } from './resident.ts'
import type { ResidentTable } from './resident-table.ts'

/** When a request that waited too long may come again. */
const LOADING_RETRY_MS = 2000

/** One load, and the requests that wait for it. */
export interface PendingLoad {
  readonly model: ModelConfig
  readonly revision: string
  /** The load of an earlier revision that still runs; this one waits for it. */
  previous: PendingLoad | undefined
  readonly room: WaitingRoom<ModelLease>
  /** Those who want the model loaded and nothing of it. */
  readonly onlookers: WaitingRoom<void>
  readonly stop: AbortController
  /** Settles, never rejects, when the load is over. */
  done: Promise<void>
  state: 'waiting' | 'loading'
  /** When its backend was asked for. Monotonic, milliseconds; undefined before. */
  loadingSince: number | undefined
  isForgotten: boolean
}

/** What a load works with. */
export interface LoadContext {
  readonly table: ResidentTable
  readonly loader: ModelLoader
  readonly cooldown: LoadCooldown
  readonly evictionQueue: EvictionQueue
  /** Whether a model takes memory of its own once it is loaded. */
  takesRoom(model: ModelConfig): boolean
  /** Lets the next request start a load of its own. */
  leave(load: PendingLoad): void
  readonly clock: Clock
  readonly logger: Logger
}

/** A load that has not begun. */
export function createPendingLoad(
  model: ModelConfig,
  options: { readonly revision: string; readonly previous: PendingLoad | undefined; readonly clock: Clock },
): PendingLoad {
  return {
    model,
    revision: options.revision,
    previous: options.previous,
    room: createWaitingRoom(options.clock),
    onlookers: createWaitingRoom(options.clock),
    stop: new AbortController(),
    done: Promise.resolve(),
    state: 'waiting',
    loadingSince: undefined,
    isForgotten: false,
  }
}

/** Runs a load to its end and tells everyone who waits. Never rejects. */
export async function runLoad(load: PendingLoad, context: LoadContext): Promise<void> {
  try {
    await load.previous?.done
    load.previous = undefined
    const present = await findPresent(load, context.table)
    if (present === undefined) await loadAnew(load, context)
    else serve(load, present, context)
  } catch (error) {
    const reason: unknown = load.stop.signal.aborted ? load.stop.signal.reason : error
    if (!isRefusal(reason)) context.logger.error({ model: load.model.name, err: reason }, 'model could not be loaded')
    context.leave(load)
    load.room.refuseAll(reason)
    load.onlookers.refuseAll(reason)
  }
}

async function loadAnew(load: PendingLoad, context: LoadContext): Promise<void> {
  const { model, revision, stop } = load
  const { cooldown, evictionQueue, loader, table } = context
  stop.signal.throwIfAborted()
  // Before the cooldown, and opening none: nothing was tried, and whoever mends it need not wait.
  const programs = await loader.find(model)
  stop.signal.throwIfAborted()
  cooldown.check(model.name)
  const giveBack = context.takesRoom(model)
    ? await evictionQueue.admit({
        name: model.name,
        groups: model.concurrencyGroups,
        signal: stop.signal,
        isWanted: () => !load.room.isEmpty() || !load.onlookers.isEmpty(),
      })
    : () => undefined
  try {
    load.state = 'loading'
    load.loadingSince = context.clock.monotonic()
    const backend = await loader.load(model, { programs, signal: stop.signal }).catch((error: unknown) => {
      if (!isRefusal(stop.signal.aborted ? stop.signal.reason : error)) cooldown.failed(model.name)
      throw error
    })
    cooldown.succeeded(model.name)
    serve(load, table.keep({ model, revision, backend }), context)
  } finally {
    // Not before those who waited have their leases: an idle model could be made to leave at once.
    giveBack()
  }
}

/** Gives a resident to everyone who waits, before anything else can run. */
function serve(load: PendingLoad, resident: Resident, context: LoadContext): void {
  load.stop.signal.throwIfAborted()
  // Before anyone is told: whoever comes back at once must not wait in a room that is over.
  context.leave(load)
  load.room.admitAll(() => resident.lease())
  load.onlookers.admitAll(() => undefined)
  if (load.isForgotten) void context.table.retire(resident)
}

/** A resident that can serve the load at this very moment. */
async function findPresent(load: PendingLoad, table: ResidentTable): Promise<Resident | undefined> {
  for (;;) {
    const present = await reuse(load, table)
    // It may have been told to leave while its backend was asked for its health.
    if (present === undefined || present.isTrusted()) return present
  }
}

/** A resident of the load's revision that still answers; whatever else has the name is let go. */
async function reuse({ model, revision, stop }: PendingLoad, table: ResidentTable): Promise<Resident | undefined> {
  const present = table.get(model.name)
  await present?.draining?.catch(() => undefined)
  if (present === undefined || table.get(model.name) !== present) return undefined
  const isSame = present.revision === revision
  if (isSame && (present.isTrusted() || (await present.isReachable(stop.signal)))) return present
  await table.retire(present)
  return undefined
}

/** Ends a load and those of earlier revisions; everyone who waits gets the reason. */
export function breakOff(load: PendingLoad, reason: SvcError): void {
  for (let each: PendingLoad | undefined = load; each !== undefined; each = each.previous) each.stop.abort(reason)
}

/** §7.2: still cold-loading; the fields beside the model are those of a file transfer, which a local load has not. */
export function stillLoading({ model, state }: PendingLoad): SvcError {
  const transfer = { progress: 0, bytes_sent: 0, total_bytes: 0, file_index: 0, total_files: 0 }
  return new SvcError('unavailable', `model "${model.name}" is still loading`, {
    code: 'model_loading',
    retryAfterMs: LOADING_RETRY_MS,
    details: { type: 'model_loading', loading: { model: model.name, state, ...transfer } },
  })
}
