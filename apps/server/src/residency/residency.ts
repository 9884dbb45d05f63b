import type { StatusResponse } from '@svc/backend-client/proto'
import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../catalog/model-config.ts'
import type { BackendTraceRecorder } from '../monitoring/recorders.ts'
import type { Clock, Logger } from '../ports.ts'
import type { LoadCooldown } from './cooldown.ts'
import type { EvictionPolicy } from './eviction-plan.ts'
import { createEvictionQueue, type EvictableModel, type EvictionQueue } from './eviction-queue.ts'
import { createLoadFailures, type LoadFailure } from './load-failures.ts'
import type { ModelLoaderOptions } from './load-model.ts'
import { createLoadTable } from './load-table.ts'
import { measureWeights } from './model-size.ts'
import type { ModelLease, Resident } from './resident.ts'
import { createResidentTable, type LoadedModel, type ResidentTable } from './resident-table.ts'
import { abortLoad, type LoadContext, type PendingLoad, stillLoading } from './run-load.ts'
import type { StopOutcome } from './stop-outcome.ts'

export type { ModelLease } from './resident.ts'
export type { LoadedModel } from './resident-table.ts'
export type { StopOutcome } from './stop-outcome.ts'

/** The name of this machine among the places of models. */
const LOCAL_PLACE = 'local'

/** Time limit of a status call. */
const STATUS_TIMEOUT_MS = 10_000
/** A load was aborted by an unload: requests that wait for it begin another one. */
const MODEL_UNLOADED = 'model_unloaded'

/** A loaded model or a running load, as watchers see it. Times are monotonic milliseconds. */
export interface WatchedModel {
  readonly name: string
  readonly state: 'loading' | 'loaded' | 'leaving'
  /** Whether it takes the memory of another machine. @default false */
  readonly isElsewhere?: boolean | undefined
  /** Never stopped for idleness or to free memory. */
  readonly isPinned: boolean
  /** Start of its oldest running call or of its load; undefined while nothing runs. */
  readonly busySince: number | undefined
  /** End of its last call; undefined during a call and before the first one has ended. */
  readonly idleSince: number | undefined
  readonly usedAt: number
  /** Stops only this instance; the next request loads the model again. */
  stop(options: { readonly force: boolean }): Promise<void>
}

/** Knows which models are in memory, and loads others on demand (§3.5). */
export interface Residency {
  /** The place of its models: this machine, or another one. */
  readonly place: string
  /**
   * Gives a lease of a loaded model and loads it first if necessary. Requests for one model share one load. The load
   * goes on when they leave, unless it still waits for a place in memory.
   *
   * @throws SvcError `model_load_failed` (internal), `model_load_cooldown`, `model_loading`, `model_stopped`,
   *   `eviction_impossible`, `shutting_down` (unavailable), or the abort
   */
  acquire(model: ModelConfig, options: { readonly signal: AbortSignal }): Promise<ModelLease>
  /**
   * Loads a model unless it is loaded, without a time limit. A load does not count as a use: a model without calls does
   * not become idle.
   *
   * @throws as {@link Residency.acquire}, except `model_loading`
   */
  load(model: ModelConfig, options: { readonly signal: AbortSignal }): Promise<void>
  /** Lists loaded models in the order of loading. */
  loaded(): readonly LoadedModel[]
  /** Lists the models whose last load failed, the newest failure first. */
  failures(): readonly LoadFailure[]
  /**
   * Asks the backend of a loaded model for its status; this does not count as a use.
   *
   * @returns undefined when the model is not loaded
   * @throws SvcError the failure of the call, `not_implemented` when the backend has no status
   */
  readStatus(name: string, options: { readonly signal: AbortSignal }): Promise<StatusResponse | undefined>
  /** Lists everything that can be stopped. */
  watched(): readonly WatchedModel[]
  /** Checks waiting loads again; call it when the eviction settings have changed. */
  reconsider(): void
  /**
   * Unloads a model after its running calls or, with `force`, without waiting for them; aborts a load. Requests that wait
   * for the load begin another one; `force` refuses them with `model_stopped`.
   *
   * @returns undefined when it was neither loaded nor loading
   * @throws SvcError `model_busy` (internal) when calls still run after 30 s; the model stays. `backend_not_ended`
   *   (internal) when the process outlives its KILL
   */
  stop(name: string, options?: { readonly force?: boolean | undefined }): Promise<StopOutcome | undefined>
  /**
   * Releases models whose configuration was removed or changed: each one is stopped once it is idle. Ends their
   * cooldown.
   */
  forget(names: readonly string[]): void
  /** Stops everything in parallel within `graceMs` and refuses new loads. */
  close(options: { readonly graceMs: number }): Promise<void>
}

/** Options of {@link createResidency}. */
export interface ResidencyOptions extends ModelLoaderOptions {
  /** @default `local` */
  readonly place?: string | undefined
  readonly cooldown: LoadCooldown
  /** Maximum time that a request waits for a load, in milliseconds; 0 waits without limit. */
  readonly modelLoadWaitMs: number
  /** Gives the current eviction policy; called before every decision. @default no limit */
  readonly eviction?: (() => EvictionPolicy) | undefined
  /** Reads the memory of a backend in bytes, including device memory. @default the size of the weights */
  readonly measureMemory?: ((pid: number) => Promise<number | undefined>) | undefined
  /** Whether an explicit stop aborts calls that run longer than 30 s. @default false */
  readonly forceBusyStops?: boolean | undefined
  /** Called with the result of every load that was tried. */
  readonly onLoad?: LoadContext['onLoad']
  /** Called when a model is evicted for another. */
  readonly onEvict?: (() => void) | undefined
  /** Takes the traces of loads. @default no traces */
  readonly traces?: BackendTraceRecorder | undefined
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

/** Creates a residency without models. */
export function createResidency(options: ResidencyOptions): Residency {
  const { clock, modelLoadWaitMs, place = LOCAL_PLACE } = options
  const table = createResidentTable({ ...options, place, onChange: () => evictionQueue.look() })
  const evictionQueue: EvictionQueue = createEvictionQueue({
    policy: options.eviction ?? (() => NO_LIMIT),
    evictableModels: () =>
      table
        .present()
        .filter(({ backend }) => backend.program.kind !== 'in-process')
        .map((resident) => toEvictable(resident, table, options)),
    onEvict: options.onEvict,
    clock,
    logger: options.logger,
  })
  const failures = createLoadFailures({ clock })
  const loads = createLoadTable({ ...options, table, failures, evictionQueue })

  return {
    place,
    async acquire(model, { signal }) {
      const begun = clock.monotonic()
      for (;;) {
        const found = loads.find(model)
        if ('backend' in found) return found.lease()
        const waitMs = modelLoadWaitMs === 0 ? 0 : Math.max(1, modelLoadWaitMs - (clock.monotonic() - begun))
        const joined = found.waiters.join({ signal, waitMs, tooLong: () => stillLoading(found) })
        evictionQueue.look()
        try {
          return await joined
        } catch (error) {
          // A request that meets an unload is the next request of the model.
          if (!SvcError.is(error) || error.code !== MODEL_UNLOADED) throw error
        }
      }
    },
    async load(model, { signal }) {
      const found = loads.find(model)
      if ('backend' in found) return
      const joined = found.onlookers.join({ signal, waitMs: 0, tooLong: () => stillLoading(found) })
      evictionQueue.look()
      await joined
    },
    loaded: table.loaded,
    failures: failures.list,
    async readStatus(name, { signal }) {
      const resident = table.get(name)
      if (resident === undefined || resident.backend.hasExited()) return undefined
      return resident.backend.client.status({}, { signal, timeoutMs: STATUS_TIMEOUT_MS })
    },
    watched() {
      const loading = loads.list().flatMap((load) => toWatchedLoad(load))
      const present = table.present().filter((resident) => !table.isStopping(resident))
      return [...loading, ...present.map((resident) => toWatchedResident(resident, table))]
    },
    reconsider: () => evictionQueue.look(),
    async stop(name, { force = false } = {}) {
      const load = loads.get(name)
      if (load !== undefined) {
        abortLoad(load, stopped(name, force ? 'model_stopped' : MODEL_UNLOADED))
        await load.done
      }
      const resident = table.get(name)
      if (resident !== undefined) return table.stop(resident, { force })
      return load === undefined ? undefined : { how: 'aborted', endedCalls: 0 }
    },
    forget(names) {
      for (const name of names) {
        // the change may have mended the failure
        options.cooldown.succeeded(name)
        failures.remove(name)
        const load = loads.get(name)
        if (load !== undefined) load.isForgotten = true
        const resident = table.get(name)
        if (resident !== undefined) void table.retire(resident)
      }
    },
    async close({ graceMs }) {
      await Promise.all([loads.close(), table.close({ graceMs })])
    },
  }
}

function toEvictable(resident: Resident, table: ResidentTable, { measureMemory }: ResidencyOptions): EvictableModel {
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
      const inMemory = backend.pid === undefined ? undefined : await measureMemory?.(backend.pid)
      return Math.max(inMemory ?? 0, await measureWeights(model))
    },
    leave: async (options) => void (await table.stop(resident, options)),
  }
}

function toWatchedResident(resident: Resident, table: ResidentTable): WatchedModel {
  const { name, model, busySince, idleSince, usedAt } = resident
  const state = table.isLeaving(resident) ? 'leaving' : 'loaded'
  const stop: WatchedModel['stop'] = async (options) => void (await table.stop(resident, options))
  return { name, state, isPinned: model.pinned, busySince, idleSince, usedAt, stop }
}

/** A load is watched from its call of the backend; waiting for a place does not count. */
function toWatchedLoad(load: PendingLoad): WatchedModel[] {
  const { model, loadingSince } = load
  if (loadingSince === undefined || load.stop.signal.aborted) return []
  const stop = async () => {
    abortLoad(load, stopped(model.name, 'model_stopped'))
    await load.done
  }
  const times = { busySince: loadingSince, idleSince: undefined, usedAt: loadingSince }
  return [{ name: model.name, state: 'loading', isPinned: model.pinned, ...times, stop }]
}

function stopped(name: string, code: 'model_stopped' | typeof MODEL_UNLOADED): SvcError {
  return new SvcError('unavailable', `model "${name}" was stopped while it was loading`, { code, retryAfterMs: 1000 })
}
