import { SvcError } from '@svc/errors'
import type { Clock, Logger } from '../ports.ts'
import type { LoadCooldown } from './cooldown.ts'
import { createWaitingRoom, type WaitingRoom } from './load-coalescing.ts'
import { createModelLoader, isRefusal, type ModelLoader, type ModelLoaderOptions } from './load-model.ts'
import type { ModelConfig } from './model-config.ts'
import type { ModelLease, Resident } from './resident.ts'
import { createResidentTable, type LoadedModel, type ResidentTable } from './resident-table.ts'

export type { ModelLease } from './resident.ts'
export type { LoadedModel } from './resident-table.ts'

/** When a request that waited too long may come again. */
const LOADING_RETRY_MS = 2000

/** A load that is about to start. */
export interface LoadCandidate {
  readonly model: ModelConfig
  /** What is loaded at this moment. */
  loaded(): readonly LoadedModel[]
}

/**
 * Makes room before a load, or refuses it by throwing. A refusal starts no cooldown.
 *
 * The seat of eviction: least recently used, memory, groups that exclude each other.
 */
export type AdmitLoad = (candidate: LoadCandidate) => Promise<void>

/** Which models are in memory, and the way to one that is (§3.5). */
export interface Residency {
  /**
   * A loaded model, loading it first when need be. Requests for one model share one load, which goes on when they leave.
   *
   * @throws SvcError `model_load_failed` (internal), `model_load_cooldown`, `model_loading`, `model_stopped`,
   *   `shutting_down` (unavailable), what {@link AdmitLoad} refused with, or the abort
   */
  acquire(model: ModelConfig, options: { readonly signal: AbortSignal }): Promise<ModelLease>
  /** In the order they were loaded. */
  loaded(): readonly LoadedModel[]
  /**
   * Stops a model, after its running calls or, with `force`, without waiting for them; a load is broken off.
   *
   * @returns false when it was neither loaded nor loading
   * @throws SvcError `model_busy` (internal) when calls still run after 30 s; the model stays
   */
  stop(name: string, options?: { readonly force?: boolean | undefined }): Promise<boolean>
  /**
   * Lets go of models whose configuration is gone or has changed: each is stopped once it is idle, and a load that
   * failed before may be tried again at once.
   */
  forget(names: readonly string[]): void
  /** Stops everything in parallel within `graceMs`; nothing is loaded any more. */
  close(options: { readonly graceMs: number }): Promise<void>
}

/** What {@link createResidency} needs. */
export interface ResidencyOptions extends ModelLoaderOptions {
  readonly cooldown: LoadCooldown
  /** Longest wait of a request for a load, in milliseconds; 0 waits for ever. */
  readonly modelLoadWaitMs: number
  /** @default every load is admitted */
  readonly admit?: AdmitLoad | undefined
  readonly clock: Clock
  readonly logger: Logger
}

/** One load, and the requests that wait for it. */
interface PendingLoad {
  readonly model: ModelConfig
  readonly revision: string
  /** The load of an earlier revision that still runs; this one waits for it. */
  previous: PendingLoad | undefined
  readonly room: WaitingRoom<ModelLease>
  readonly stop: AbortController
  /** Settles, never rejects, when the load is over. */
  done: Promise<void>
  state: 'waiting' | 'loading'
  isForgotten: boolean
}

/** What a load works with. */
interface LoadContext {
  readonly table: ResidentTable
  readonly loader: ModelLoader
  readonly cooldown: LoadCooldown
  readonly admit: AdmitLoad
  /** Lets the next request start a load of its own. */
  leave(load: PendingLoad): void
  readonly logger: Logger
}

const admitEveryLoad: AdmitLoad = async () => undefined

/** Nothing loaded. */
export function createResidency(options: ResidencyOptions): Residency {
  const { clock, modelLoadWaitMs } = options
  const table = createResidentTable(options)
  const loader = createModelLoader(options)
  const loads = new Map<string, PendingLoad>()
  const leave = (load: PendingLoad) => {
    if (loads.get(load.model.name) === load) loads.delete(load.model.name)
  }
  const context: LoadContext = { ...options, table, loader, leave, admit: options.admit ?? admitEveryLoad }
  let isClosed = false

  const startLoad = (model: ModelConfig, revision: string): PendingLoad => {
    const load: PendingLoad = {
      model,
      revision,
      previous: loads.get(model.name),
      room: createWaitingRoom(clock),
      stop: new AbortController(),
      done: Promise.resolve(),
      state: 'waiting',
      isForgotten: false,
    }
    loads.set(model.name, load)
    load.done = runLoad(load, context)
    return load
  }

  return {
    async acquire(model, { signal }) {
      if (isClosed) throw shuttingDown()
      const revision = loader.revisionOf(model)
      const resident = table.get(model.name)
      if (resident?.revision === revision && resident.isTrusted()) return resident.lease()
      const pending = loads.get(model.name)
      const load = pending?.revision === revision ? pending : startLoad(model, revision)
      return load.room.join({ signal, waitMs: modelLoadWaitMs, tooLong: () => stillLoading(load) })
    },
    loaded: table.loaded,
    async stop(name, { force = false } = {}) {
      const load = loads.get(name)
      if (load !== undefined) {
        breakOff(load, stopped(name))
        await load.done
      }
      const resident = table.get(name)
      if (resident !== undefined) await table.stop(resident, { force })
      return load !== undefined || resident !== undefined
    },
    forget(names) {
      for (const name of names) {
        // what failed may have been mended with the change
        options.cooldown.succeeded(name)
        const load = loads.get(name)
        if (load !== undefined) load.isForgotten = true
        const resident = table.get(name)
        if (resident !== undefined) void table.retire(resident)
      }
    },
    async close({ graceMs }) {
      isClosed = true
      const pending = [...loads.values()]
      for (const load of pending) breakOff(load, shuttingDown())
      await Promise.all([table.close({ graceMs }), ...pending.map((load) => load.done)])
    },
  }
}

/** Runs a load to its end and tells everyone who waits. Never rejects. */
async function runLoad(load: PendingLoad, context: LoadContext): Promise<void> {
  try {
    const resident = await bring(load, context)
    load.stop.signal.throwIfAborted()
    // Before anyone is told: whoever comes back at once must not wait in a room that is over.
    context.leave(load)
    load.room.admitAll(() => resident.lease())
    if (load.isForgotten) void context.table.retire(resident)
  } catch (error) {
    const reason: unknown = load.stop.signal.aborted ? load.stop.signal.reason : error
    if (!isRefusal(reason)) {
      context.cooldown.failed(load.model.name)
      context.logger.error({ model: load.model.name, err: reason }, 'model could not be loaded')
    }
    context.leave(load)
    load.room.refuseAll(reason)
  }
}

/** The resident a load ends in: one that is there and still answers, or a new one. */
async function bring(load: PendingLoad, context: LoadContext): Promise<Resident> {
  const { model, revision, stop } = load
  const { table, cooldown } = context
  await load.previous?.done
  load.previous = undefined
  const present = await reuse(load, table)
  if (present !== undefined) return present
  stop.signal.throwIfAborted()
  cooldown.check(model.name)
  await context.admit({ model, loaded: table.loaded })
  stop.signal.throwIfAborted()
  load.state = 'loading'
  const backend = await context.loader.load(model, { signal: stop.signal })
  cooldown.succeeded(model.name)
  return table.keep({ name: model.name, revision, backend })
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

function breakOff(load: PendingLoad, reason: SvcError): void {
  for (let each: PendingLoad | undefined = load; each !== undefined; each = each.previous) each.stop.abort(reason)
}

/** §7.2: still cold-loading; the fields beside the model are those of a file transfer, which a local load has not. */
function stillLoading({ model, state }: PendingLoad): SvcError {
  const transfer = { progress: 0, bytes_sent: 0, total_bytes: 0, file_index: 0, total_files: 0 }
  return new SvcError('unavailable', `model "${model.name}" is still loading`, {
    code: 'model_loading',
    retryAfterMs: LOADING_RETRY_MS,
    details: { type: 'model_loading', loading: { model: model.name, state, ...transfer } },
  })
}

function stopped(name: string): SvcError {
  return new SvcError('unavailable', `model "${name}" was stopped while it was loading`, {
    code: 'model_stopped',
    retryAfterMs: 1000,
  })
}

function shuttingDown(): SvcError {
  return new SvcError('unavailable', 'the server is shutting down', { code: 'shutting_down' })
}
