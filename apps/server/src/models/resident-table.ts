import { SvcError } from '@svc/errors'
import type { RunningBackend } from '../backends/running-backend.ts'
import { settlesWithin } from '../backends/settles-within.ts'
import type { Clock, Logger } from '../ports.ts'
import { createResident, type Resident } from './resident.ts'

/** How long an explicit stop waits for running calls. */
const BUSY_WAIT_MS = 30_000
/** TERM to KILL of one backend. */
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

/** What has been loaded: at most one resident of each name in service, and those that end when they are idle. */
export interface ResidentTable {
  get(name: string): Resident | undefined
  /** Those in service, in the order they were loaded. */
  loaded(): readonly LoadedModel[]
  /** Puts a loaded model into service; it leaves by itself when its backend ends. */
  keep(model: { readonly name: string; readonly revision: string; readonly backend: RunningBackend }): Resident
  /** Takes a resident out of service and stops it once it is idle; resolves at once while it is busy. */
  retire(resident: Resident): Promise<void>
  /**
   * Stops a resident after its running calls, or at once with `force`. It stays in service until they have ended.
   *
   * @throws SvcError `model_busy` (internal) when calls still run after 30 s
   */
  stop(resident: Resident, options: { readonly force: boolean }): Promise<void>
  /** Stops everything in parallel within `graceMs`. */
  close(options: { readonly graceMs: number }): Promise<void>
}

/** An empty table. */
export function createResidentTable({ clock, logger }: { clock: Clock; logger: Logger }): ResidentTable {
  const current = new Map<string, Resident>()
  const retiring = new Set<Resident>()
  const isCurrent = (resident: Resident) => current.get(resident.name) === resident
  const leave = (resident: Resident) => isCurrent(resident) && current.delete(resident.name)

  const stopWhenIdle = async (resident: Resident): Promise<void> => {
    await resident.whenIdle()
    // Free would empty an attached backend that may hold the next model by now.
    const freeMs = resident.backend.program.kind === 'attach' ? 0 : undefined
    await resident.backend.stop({ graceMs: STOP_GRACE_MS, freeMs })
    retiring.delete(resident)
  }
  const retire = async (resident: Resident): Promise<void> => {
    leave(resident)
    if (retiring.has(resident)) return
    retiring.add(resident)
    const stopped = stopWhenIdle(resident)
    if (resident.inFlight === 0) await stopped
  }
  const drain = async (resident: Resident, force: boolean): Promise<void> => {
    const isIdle = force || (await settlesWithin(resident.whenIdle(), BUSY_WAIT_MS, clock))
    if (!isIdle) throw new SvcError('internal', `model "${resident.name}" is busy`, { code: 'model_busy' })
    leave(resident)
    await resident.backend.stop({ graceMs: STOP_GRACE_MS, freeMs: force ? 0 : undefined })
  }

  return {
    get: (name) => current.get(name),
    loaded: () => [...current.values()].filter(({ backend }) => !backend.hasExited()).map(toLoadedModel),
    keep({ name, revision, backend }) {
      const onLost = (lost: Resident) => {
        logger.warn({ model: name }, 'backend does not hold its model, letting it go')
        void retire(lost)
      }
      const resident = createResident({ name, revision, backend, clock, onLost })
      current.set(name, resident)
      void backend.exited.then(({ code, signal }) => {
        if (!leave(resident)) return
        logger.warn({ model: name, pid: backend.pid, code, signal }, 'backend ended, its model loads again on next use')
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
      }
      await resident.draining
    },
    async close({ graceMs }) {
      const all = [...current.values(), ...retiring]
      current.clear()
      await Promise.all(all.map(({ backend }) => backend.stop({ graceMs: graceMs * 0.7, freeMs: graceMs * 0.2 })))
    },
  }
}

function toLoadedModel({ name, backend, inFlight, lastUsed }: Resident): LoadedModel {
  const { program, pid, startedAt } = backend
  return { name, backend: program.name, pid, startedAt, inFlight, lastUsed }
}
