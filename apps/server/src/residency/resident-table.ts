import { SvcError } from '@svc/errors'
import type { RunningBackend } from '../backends/running-backend.ts'
import { settlesWithin } from '../backends/settles-within.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import type { WeightsIdentity } from '../catalog/weights-identity.ts'
import type { Clock, Logger } from '../ports.ts'
import { createResident, type Resident } from './resident.ts'
import type { StopOutcome } from './stop-outcome.ts'

/** Time that an explicit stop waits for running calls. */
const BUSY_WAIT_MS = 30_000
/** Time between TERM and KILL of one backend. */
const STOP_GRACE_MS = 15_000

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

/** Loaded models: at most one of each name in service, and the leaving ones. */
export interface ResidentTable {
  get(name: string): Resident | undefined
  /** Lists models in service in the order of loading. */
  loaded(): readonly LoadedModel[]
  /** Lists everything that takes memory: models in service, and leaving ones that have not ended. */
  present(): readonly Resident[]
  /** Whether a resident is out of service, or leaves after its last call. */
  isLeaving(resident: Resident): boolean
  /** Whether its backend is being stopped. */
  isStopping(resident: Resident): boolean
  /** Puts a loaded model into service; it leaves when its backend ends. */
  keep(loaded: {
    readonly model: ModelConfig
    readonly revision: string
    readonly backend: RunningBackend
    readonly weights: WeightsIdentity | undefined
  }): Resident
  /** Takes a resident out of service and stops it once it is idle; resolves at once while it is busy. */
  retire(resident: Resident): Promise<void>
  /**
   * Stops a resident after its running calls, or at once with `force`. It stays in service until its calls have ended.
   *
   * @throws SvcError `model_busy` (internal) when calls still run after 30 s, unless busy models are stopped by force;
   *   `backend_not_ended` (internal) when the process outlives its KILL
   */
  stop(resident: Resident, options: { readonly force: boolean }): Promise<StopOutcome>
  /** Resolves when no backend of a model is being stopped. */
  whenStopped(name: string): Promise<void>
  /** Stops everything in parallel within `graceMs`. */
  close(options: { readonly graceMs: number }): Promise<void>
}

/** Options of {@link createResidentTable}. */
export interface ResidentTableOptions {
  /** The place of the models. */
  readonly place: string
  readonly clock: Clock
  readonly logger: Logger
  /** Whether an explicit stop aborts calls that run longer than its wait. @default false */
  readonly forceBusyStops?: boolean | undefined
  /** Called when a resident has become idle or its backend has ended. */
  readonly onChange: () => void
}

/** Creates an empty table. */
export function createResidentTable(options: ResidentTableOptions): ResidentTable {
  const { place, clock, logger, onChange, forceBusyStops = false } = options
  const current = new Map<string, Resident>()
  const leaving = new Set<Resident>()
  const stopping = new Map<Resident, Promise<unknown>>()
  const isCurrent = (resident: Resident) => current.get(resident.name) === resident
  const leave = (resident: Resident) => isCurrent(resident) && current.delete(resident.name)

  const stopBackend = async (resident: Resident, freeMs: number | undefined): Promise<StopOutcome> => {
    const { name, backend, inFlight: endedCalls } = resident
    await backend.stop({ graceMs: STOP_GRACE_MS, freeMs })
    if (!backend.hasExited()) {
      // It takes its memory until the system lets it go.
      void backend.exited.then(() => leaving.delete(resident))
      throw new SvcError('internal', `the backend of model "${name}" has not ended although it was killed`, {
        code: 'backend_not_ended',
      })
    }
    leaving.delete(resident)
    if (backend.pid === undefined) return { how: 'released', endedCalls }
    return { how: (await backend.exited).signal === 'SIGKILL' ? 'killed' : 'exited', endedCalls }
  }
  const end = (resident: Resident, freeMs: number | undefined): Promise<StopOutcome> => {
    leave(resident)
    leaving.add(resident)
    const stopped = stopBackend(resident, freeMs).finally(() => {
      if (stopping.get(resident) === stopped) stopping.delete(resident)
      onChange()
    })
    stopping.set(resident, stopped)
    return stopped
  }
  const endWhenIdle = async (resident: Resident): Promise<void> => {
    await resident.whenIdle()
    try {
      // Free would unload an attached backend, which may hold the next model already.
      await end(resident, resident.backend.program.kind === 'attach' ? 0 : undefined)
    } catch (error) {
      logger.warn({ model: resident.name, err: error }, 'a backend out of service could not be stopped')
    }
  }
  const retire = async (resident: Resident): Promise<void> => {
    leave(resident)
    if (leaving.has(resident)) return
    leaving.add(resident)
    const ended = endWhenIdle(resident)
    if (resident.inFlight === 0) await ended
  }
  const drain = async (resident: Resident, force: boolean): Promise<StopOutcome> => {
    const isIdle = force || (await settlesWithin(resident.whenIdle(), BUSY_WAIT_MS, clock))
    if (!isIdle && !forceBusyStops) throw busy(resident)
    return end(resident, force || !isIdle ? 0 : undefined)
  }

  return {
    get: (name) => current.get(name),
    loaded: () => [...current.values()].filter(({ backend }) => !backend.hasExited()).map(toLoadedModel),
    present: () => [...current.values(), ...leaving].filter(({ backend }) => !backend.hasExited()),
    isLeaving: (resident) => leaving.has(resident) || resident.draining !== undefined,
    isStopping: (resident) => stopping.has(resident),
    keep({ model, revision, backend, weights }) {
      const { name } = model
      const onLost = (lost: Resident) => {
        logger.warn({ model: name }, 'backend does not hold its model, letting it go')
        void retire(lost)
      }
      const resident = createResident({ place, model, revision, backend, weights, clock, onLost, onIdle: onChange })
      current.set(name, resident)
      void backend.exited.then(({ code, signal }) => {
        if (leave(resident)) {
          logger.warn(
            { model: name, pid: backend.pid, code, signal },
            'backend ended, its model loads again on next use',
          )
        }
        onChange()
      })
      return resident
    },
    retire,
    async stop(resident, { force }) {
      if (resident.draining === undefined || force) {
        const draining = drain(resident, force)
        resident.draining = draining
        const clear = () => {
          if (resident.draining === draining) resident.draining = undefined
        }
        draining.then(clear, clear)
        return draining
      }
      return resident.draining
    },
    async whenStopped(name) {
      const stops = [...stopping].flatMap(([resident, stopped]) => (resident.name === name ? [stopped] : []))
      await Promise.allSettled(stops)
    },
    async close({ graceMs }) {
      const all = [...current.values(), ...leaving]
      current.clear()
      await Promise.all(all.map(({ backend }) => backend.stop({ graceMs: graceMs * 0.7, freeMs: graceMs * 0.2 })))
    },
  }
}

function busy({ name, inFlight }: Resident): SvcError {
  const calls = inFlight === 1 ? '1 call runs' : `${inFlight} calls run`
  return new SvcError('internal', `model "${name}" is busy: ${calls} for longer than ${BUSY_WAIT_MS / 1000} s`, {
    code: 'model_busy',
  })
}

function toLoadedModel({ name, backend, inFlight, lastUsed }: Resident): LoadedModel {
  const { program, pid, startedAt } = backend
  return { name, backend: program.name, pid, startedAt, inFlight, lastUsed }
}
