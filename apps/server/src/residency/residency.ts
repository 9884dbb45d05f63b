import type { StatusResponse } from '@svc/backend-client/proto'
import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../catalog/model-config.ts'
import type { Clock, Logger } from '../ports.ts'
import type { LoadCooldown } from './cooldown.ts'
import type { EvictionPolicy } from './eviction-plan.ts'
import { createEvictionQueue, type EvictableModel, type EvictionQueue } from './eviction-queue.ts'
import { createModelLoader, type ModelLoaderOptions } from './load-model.ts'
import { weightsBytes } from './model-size.ts'
import type { ModelLease, Resident } from './resident.ts'
import { createResidentTable, type LoadedModel, type ResidentTable } from './resident-table.ts'
import { breakOff, createPendingLoad, type LoadContext, type PendingLoad, runLoad, stillLoading } from './run-load.ts'

export type { ModelLease } from './resident.ts'
export type { LoadedModel } from './resident-table.ts'

/** How long a backend may take to say how it is. */
const STATUS_TIMEOUT_MS = 10_000

/** A model in memory or on its way there, as those who keep watch see it. Times are monotonic milliseconds. */
export interface WatchedModel {
  readonly name: string
  readonly state: 'loading' | 'loaded' | 'leaving'
  /** Never stopped for idleness or to save memory. */
  readonly isPinned: boolean
  /** Start of its oldest running call or of its load; undefined while nothing runs. */
  readonly busySince: number | undefined
  /** End of its last call; undefined while one runs and before the first has ended. */
  readonly idleSince: number | undefined
  readonly usedAt: number
  /** Stops exactly this one; requests for the model load it again. */
  stop(options: { readonly force: boolean }): Promise<void>
}

/** Which models are in memory, and the way to one that is (§3.5). */
export interface Residency {
  /**
   * A loaded model, loading it first when need be. Requests for one model share one load, which goes on when they
   * leave, unless it still waits for a place in memory.
   *
   * @throws SvcError `model_load_failed` (internal), `model_load_cooldown`, `model_loading`, `model_stopped`,
   *   `eviction_impossible`, `shutting_down` (unavailable), or the abort
   */
  acquire(model: ModelConfig, options: { readonly signal: AbortSignal }): Promise<ModelLease>
  /**
   * Loads a model unless it is loaded, however long that takes. It does not count as use: a model that is only loaded
   * does not lie idle.
   *
   * @throws what {@link Residency.acquire} throws, but for `model_loading`
   */
  load(model: ModelConfig, options: { readonly signal: AbortSignal }): Promise<void>
  /** In the order they were loaded. */
  loaded(): readonly LoadedModel[]
  /**
   * What the backend of a loaded model says of itself; it does not count as use.
   *
   * @returns undefined when the model is not loaded
   * @throws SvcError what the call failed with, `not_implemented` where the backend cannot tell
   */
  statusOf(name: string, options: { readonly signal: AbortSignal }): Promise<StatusResponse | undefined>
  /** Everything that could be stopped. */
  watched(): readonly WatchedModel[]
  /** Has those who wait for a place looked after anew: the settings of eviction have changed. */
  reconsider(): void
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
  /** How many models may be in memory, and who leaves; asked before every decision. @default no limit */
  readonly eviction?: (() => EvictionPolicy) | undefined
  /** Bytes that a backend takes in memory, device memory included. @default the size of the weights stands for it */
  readonly memoryOf?: ((pid: number) => Promise<number | undefined>) | undefined
  /** Whether an explicit stop ends calls that run for longer than 30 s. @default false */
  readonly forceBusyStops?: boolean | undefined
  readonly clock: Clock
  readonly logger: Logger
}

const NO_LIMIT: EvictionPolicy = {
  maxActive: 0,
  forceWhenBusy: false,
  largestFirst: false,
  patienceMs: 30_000,
  retryIntervalMs: 1000,
}

/** Nothing loaded. */
export function createResidency(options: ResidencyOptions): Residency {
  const { clock, modelLoadWaitMs } = options
  const table = createResidentTable({ ...options, onChange: () => evictionQueue.look() })
  const evictionQueue: EvictionQueue = createEvictionQueue({
    policy: options.eviction ?? (() => NO_LIMIT),
    evictableModels: () =>
      table
        .present()
        .filter(({ backend }) => backend.program.kind !== 'in-process')
        .map((resident) => toEvictable(resident, table, options)),
    clock,
    logger: options.logger,
  })
  const loader = createModelLoader(options)
  const loads = new Map<string, PendingLoad>()
  const leave = (load: PendingLoad) => {
    if (loads.get(load.model.name) === load) loads.delete(load.model.name)
  }
  const takesRoom = ({ backend }: ModelConfig) => options.catalog.resolve(backend)?.kind !== 'in-process'
  const context: LoadContext = { ...options, table, loader, leave, evictionQueue, takesRoom }
  let isClosed = false

  const startLoad = (model: ModelConfig, revision: string): PendingLoad => {
    const load = createPendingLoad(model, { revision, previous: loads.get(model.name), clock })
    loads.set(model.name, load)
    load.done = runLoad(load, context)
    return load
  }

  /** The resident that serves a model, or the load that brings it. */
  const find = (model: ModelConfig): Resident | PendingLoad => {
    if (isClosed) throw shuttingDown()
    const revision = loader.revisionOf(model)
    const resident = table.get(model.name)
    if (resident?.revision === revision && resident.isTrusted()) return resident
    const pending = loads.get(model.name)
    return pending?.revision === revision ? pending : startLoad(model, revision)
  }

  return {
    async acquire(model, { signal }) {
      const found = find(model)
      if ('backend' in found) return found.lease()
      const waitMs = modelLoadWaitMs
      const joined = found.room.join({ signal, waitMs, tooLong: () => stillLoading(found) })
      evictionQueue.look()
      return joined
    },
    async load(model, { signal }) {
      const found = find(model)
      if ('backend' in found) return
      const joined = found.onlookers.join({ signal, waitMs: 0, tooLong: () => stillLoading(found) })
      evictionQueue.look()
      await joined
    },
    loaded: table.loaded,
    async statusOf(name, { signal }) {
      const resident = table.get(name)
      if (resident === undefined || resident.backend.hasExited()) return undefined
      return resident.backend.client.status({}, { signal, timeoutMs: STATUS_TIMEOUT_MS })
    },
    watched() {
      const loading = [...loads.values()].flatMap((load) => watchedLoad(load))
      const present = table.present().filter((resident) => !table.isStopping(resident))
      return [...loading, ...present.map((resident) => watchedResident(resident, table))]
    },
    reconsider: () => evictionQueue.look(),
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

function toEvictable(resident: Resident, table: ResidentTable, { memoryOf }: ResidencyOptions): EvictableModel {
  const { name, model, backend } = resident
  return {
    key: resident,
    name,
    groups: model.concurrencyGroups,
    isPinned: model.pinned,
    isBusy: resident.inFlight > 0,
    isLeaving: table.isLeaving(resident),
    usedAt: resident.usedAt,
    async size() {
      const inMemory = backend.pid === undefined ? undefined : await memoryOf?.(backend.pid)
      return Math.max(inMemory ?? 0, await weightsBytes(model))
    },
    leave: (options) => table.stop(resident, options),
  }
}

function watchedResident(resident: Resident, table: ResidentTable): WatchedModel {
  const { name, model, busySince, idleSince, usedAt } = resident
  const state = table.isLeaving(resident) ? 'leaving' : 'loaded'
  const stop: WatchedModel['stop'] = (options) => table.stop(resident, options)
  return { name, state, isPinned: model.pinned, busySince, idleSince, usedAt, stop }
}

/** A load counts from the moment its backend is asked for: waiting for a place is no work. */
function watchedLoad(load: PendingLoad): WatchedModel[] {
  const { model, loadingSince } = load
  if (loadingSince === undefined || load.stop.signal.aborted) return []
  const stop = async () => {
    breakOff(load, stopped(model.name))
    await load.done
  }
  const times = { busySince: loadingSince, idleSince: undefined, usedAt: loadingSince }
  return [{ name: model.name, state: 'loading', isPinned: model.pinned, ...times, stop }]
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
