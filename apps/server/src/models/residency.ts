import { SvcError } from '@svc/errors'
import { settlesWithin } from '../backends/settles-within.ts'
import type { Clock, Logger } from '../ports.ts'
import type { LoadCooldown } from './cooldown.ts'
import { createWaitingRoom, type WaitingRoom } from './load-coalescing.ts'
import { createModelLoader, isRefusal, type ModelLoaderOptions } from './load-model.ts'
import type { ModelConfig } from './model-config.ts'
import { createResident, type ModelLease, type Resident } from './resident.ts'

export type { ModelLease } from './resident.ts'

/** How long an explicit stop waits for running calls. */
const BUSY_WAIT_MS = 30_000
/** TERM to KILL of one backend. */
const STOP_GRACE_MS = 15_000
const LOADING_RETRY_MS = 2000

/** A loaded model as the system endpoint shows it (§2.8). */
export interface LoadedModel {
  readonly name: string
  readonly backend: string
  /** Leader of the backend's process group; absent for an attached backend. */
  readonly pid?: number | undefined
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly inFlight: number
  /** Milliseconds since the epoch; absent before the first use. */
  readonly lastUsed?: number | undefined
}

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
  /** Lets go of models whose configuration is gone or has changed: each is stopped once it is idle. */
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

const admitEveryLoad: AdmitLoad = async () => undefined

/** Nothing loaded. */
export function createResidency(options: ResidencyOptions): Residency {
  const { clock, cooldown, logger, modelLoadWaitMs } = options
  const admit = options.admit ?? admitEveryLoad
  const loader = createModelLoader(options)
  const residents = new Map<string, Resident>()
  const retiring = new Set<Resident>()
  const loads = new Map<string, PendingLoad>()
  let isClosed = false

  const isCurrent = (resident: Resident) => residents.get(resident.name) === resident
  const loaded = () => [...residents.values()].filter((resident) => !resident.backend.hasExited()).map(toLoadedModel)

  /** Takes a resident out of service and stops it once it is idle; resolves at once while it is busy. */
  const retire = async (resident: Resident): Promise<void> => {
    if (isCurrent(resident)) residents.delete(resident.name)
    if (retiring.has(resident)) return
    retiring.add(resident)
    const stopped = (async () => {
      await resident.whenIdle()
      // Free would empty an attached backend that may hold the next model by now.
      const freeMs = resident.backend.program.kind === 'attach' ? 0 : undefined
      await resident.backend.stop({ graceMs: STOP_GRACE_MS, freeMs })
      retiring.delete(resident)
    })()
    if (resident.inFlight === 0) await stopped
  }

  const keep = (load: PendingLoad, backend: Resident['backend']): Resident => {
    const { name } = load.model
    const onLost = (lost: Resident) => {
      logger.warn({ model: name }, 'backend does not hold its model, letting it go')
      void retire(lost)
    }
    const resident = createResident({ name, revision: load.revision, backend, clock, onLost })
    residents.set(name, resident)
    void backend.exited.then(({ code, signal }) => {
      if (!isCurrent(resident)) return
      residents.delete(name)
      logger.warn({ model: name, pid: backend.pid, code, signal }, 'backend ended, its model loads again on next use')
    })
    return resident
  }

  /** A resident of the load's revision that still answers; whatever else has the name is let go. */
  const reuse = async (load: PendingLoad): Promise<Resident | undefined> => {
    const present = residents.get(load.model.name)
    await present?.draining?.catch(() => undefined)
    if (present === undefined || !isCurrent(present)) return undefined
    const isSame = present.revision === load.revision
    if (isSame && (present.isTrusted() || (await present.isReachable(load.stop.signal)))) return present
    await retire(present)
    return undefined
  }

  const bring = async (load: PendingLoad): Promise<Resident> => {
    await load.previous?.done
    load.previous = undefined
    const present = await reuse(load)
    if (present !== undefined) return present
    load.stop.signal.throwIfAborted()
    cooldown.check(load.model.name)
    await admit({ model: load.model, loaded })
    load.stop.signal.throwIfAborted()
    load.state = 'loading'
    const backend = await loader.load(load.model, { signal: load.stop.signal })
    cooldown.succeeded(load.model.name)
    return keep(load, backend)
  }

  const run = async (load: PendingLoad): Promise<void> => {
    const { name } = load.model
    try {
      const resident = await bring(load)
      if (load.stop.signal.aborted) throw load.stop.signal.reason
      load.room.admitAll(() => resident.lease())
      if (load.isForgotten) void retire(resident)
    } catch (error) {
      const reason: unknown = load.stop.signal.aborted ? load.stop.signal.reason : error
      if (!isRefusal(reason)) {
        cooldown.failed(name)
        logger.error({ model: name, err: reason }, 'model could not be loaded')
      }
      load.room.refuseAll(reason)
    } finally {
      if (loads.get(name) === load) loads.delete(name)
    }
  }

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
    load.done = run(load)
    return load
  }

  const drain = async (resident: Resident, force: boolean): Promise<void> => {
    const isIdle = force || (await settlesWithin(resident.whenIdle(), BUSY_WAIT_MS, clock))
    if (!isIdle) throw new SvcError('internal', `model "${resident.name}" is busy`, { code: 'model_busy' })
    if (isCurrent(resident)) residents.delete(resident.name)
    await resident.backend.stop({ graceMs: STOP_GRACE_MS, freeMs: force ? 0 : undefined })
  }

  return {
    async acquire(model, { signal }) {
      if (isClosed) throw shuttingDown()
      const revision = loader.revisionOf(model)
      const resident = residents.get(model.name)
      if (resident?.revision === revision && resident.isTrusted()) return resident.lease()
      const pending = loads.get(model.name)
      const load = pending?.revision === revision ? pending : startLoad(model, revision)
      return load.room.join({ signal, waitMs: modelLoadWaitMs, tooLong: () => stillLoading(load) })
    },
    loaded,
    async stop(name, { force = false } = {}) {
      const load = loads.get(name)
      if (load !== undefined) {
        breakOff(load, stopped(name))
        await load.done
      }
      const resident = residents.get(name)
      if (resident === undefined) return load !== undefined
      if (resident.draining === undefined || force) {
        const draining = drain(resident, force)
        resident.draining = draining
        const clear = () => {
          if (resident.draining === draining) resident.draining = undefined
        }
        draining.then(clear, clear)
      }
      await resident.draining
      return true
    },
    forget(names) {
      for (const name of names) {
        const load = loads.get(name)
        if (load !== undefined) load.isForgotten = true
        const resident = residents.get(name)
        if (resident !== undefined) void retire(resident)
      }
    },
    async close({ graceMs }) {
      isClosed = true
      const pending = [...loads.values()]
      for (const load of pending) breakOff(load, shuttingDown())
      const all = [...residents.values(), ...retiring]
      residents.clear()
      await Promise.all([
        ...all.map((resident) => resident.backend.stop({ graceMs: graceMs * 0.7, freeMs: graceMs * 0.2 })),
        ...pending.map((load) => load.done),
      ])
    },
  }
}

function breakOff(load: PendingLoad, reason: SvcError): void {
  for (let each: PendingLoad | undefined = load; each !== undefined; each = each.previous) each.stop.abort(reason)
}

function toLoadedModel({ name, backend, inFlight, lastUsed }: Resident): LoadedModel {
  const { program, pid, startedAt } = backend
  return { name, backend: program.name, pid, startedAt, inFlight, lastUsed }
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
