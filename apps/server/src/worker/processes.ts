import { SvcError } from '@svc/errors'
import type { BackendProgram } from '../backends/catalog.ts'
import type { BackendEndpoint } from '../backends/endpoint.ts'
import type { RunningBackend } from '../backends/running-backend.ts'
import type { Supervisor } from '../backends/supervisor.ts'
import { toProcessKey } from '../cluster/contract/process-key.ts'
import { createKeyedLock } from '../concurrency/keyed-lock.ts'
import { formatAddress } from '../config/places.ts'
import type { PortRange } from './port-range.ts'
import { isEverywhere } from './worker-config.ts'

/** Time that a process gets to end after TERM, milliseconds. */
const STOP_MS = 5000
/** Time for the call that frees a model, milliseconds. */
const FREE_MS = 5000
/** Health checks of a start: 60 with a pause of half a second. */
const READY = { attempts: 60, attemptsSleepSeconds: 0.5 }
/** Ports that are tried when others listen there. */
const MAX_PORTS = 20

/** A replica of a model that a worker is asked for. */
export interface ReplicaName {
  readonly model: string
  readonly index: number
}

/** A process that serves one replica of a model. */
export interface WorkerProcess extends ReplicaName {
  /** `<model>#<index>`. */
  readonly key: string
  /** The backend that was asked for. */
  readonly backend: string
  /** `host:port` at which front ends reach it. */
  readonly address: string
  readonly running: RunningBackend
}

/** What a process runs. */
export interface BackendUse {
  /** The backend that was asked for. */
  readonly backend: string
  readonly program: BackendProgram
}

/** The processes of a worker, one for each replica of a model. */
export interface WorkerProcesses {
  /** Those that run, by their keys. */
  list(): readonly WorkerProcess[]
  find(key: string): WorkerProcess | undefined
  /** The processes of some backends: those that run, and those that are starting now, as soon as they run. */
  listUsers(isMeant: (use: BackendUse) => boolean): Promise<readonly WorkerProcess[]>
  /**
   * Gives the process of a replica, and starts it when it does not run with this backend.
   *
   * @param options.force ends the running one first
   * @throws {SvcError} `unavailable`, code `ports_exhausted`; as {@link Supervisor.start}
   */
  start(
    replica: ReplicaName,
    options: {
      readonly backend: string
      readonly program: BackendProgram
      readonly force: boolean
      readonly signal: AbortSignal
    },
  ): Promise<WorkerProcess>
  /** Marks a process that is about to end: its replica is not given to anybody any more. */
  retire(process: WorkerProcess): void
  /** Frees the model of a process. @returns why it could not be freed */
  free(process: WorkerProcess): Promise<string | undefined>
  /** Ends a process. Resolves when it is gone. @param options.force without time to end by itself */
  stop(process: WorkerProcess, options?: { readonly force?: boolean }): Promise<void>
}

/** Parts of {@link createWorkerProcesses}. */
export interface WorkerProcessesParts {
  readonly supervisor: Pick<Supervisor, 'start'>
  readonly ports: PortRange
  /** Where processes listen. */
  readonly host: string
  /** Host that front ends are told, and the first port there and here. */
  readonly advertised: { readonly host: string; readonly firstPort: number }
  readonly firstPort: number
  /** What processes ask of callers; empty for nothing. */
  readonly token: string
}

/** Nothing runs yet. */
export function createWorkerProcesses(parts: WorkerProcessesParts): WorkerProcesses {
  const { supervisor, ports } = parts
  const running = new Map<string, WorkerProcess>()
  const leaving = new WeakSet<WorkerProcess>()
  const starting = new Map<Promise<WorkerProcess>, BackendUse>()
  const lock = createKeyedLock()

  const forget = (process: WorkerProcess): void => {
    if (running.get(process.key) !== process) return
    running.delete(process.key)
    ports.release(process.key)
  }
  const find = (key: string): WorkerProcess | undefined => {
    const found = running.get(key)
    return found?.running.hasExited() === true ? undefined : found
  }
  const stop: WorkerProcesses['stop'] = async (process, { force = false } = {}) => {
    leaving.add(process)
    await process.running.stop({ graceMs: force ? 0 : STOP_MS, freeMs: 0 })
    await process.running.exited
    forget(process)
  }

  async function launch(replica: ReplicaName, { backend, program, signal }: LaunchOptions): Promise<WorkerProcess> {
    const key = toProcessKey(replica.model, replica.index)
    for (let tries = 1; ; tries += 1) {
      const port = ports.take(key)
      if (port === undefined) throw portsExhausted()
      try {
        const endpoint = toEndpoint(parts, port)
        const backendProcess = await supervisor.start(program, {
          modelName: replica.model,
          signal,
          endpoint,
          ...READY,
        })
        const process = { ...replica, key, backend, address: toAdvertised(parts, port), running: backendProcess }
        running.set(key, process)
        void backendProcess.exited.then(() => forget(process))
        return process
      } catch (error) {
        ports.release(key)
        // The released port rests, so that the next one is another.
        if (!SvcError.is(error) || error.code !== 'address_taken' || tries === MAX_PORTS) throw error
      }
    }
  }
  const list = (): readonly WorkerProcess[] =>
    [...running.values()].filter(({ running: { hasExited } }) => !hasExited()).sort(byKey)
  return {
    list,
    find,
    async listUsers(isMeant) {
      const found = list().filter(({ backend, running: { program } }) => isMeant({ backend, program }))
      const begun = [...starting].filter(([, use]) => isMeant(use)).map(([start]) => start)
      for (const start of await Promise.allSettled(begun)) if (start.status === 'fulfilled') found.push(start.value)
      return [...new Set(found)].sort(byKey)
    },
    start(replica, options) {
      const key = toProcessKey(replica.model, replica.index)
      const work = async (): Promise<WorkerProcess> => {
        const found = running.get(key)
        if (found !== undefined) {
          const isUsable = !found.running.hasExited() && !leaving.has(found)
          if (isUsable && !options.force && found.backend === options.backend) return found
          await stop(found)
        }
        return launch(replica, options)
      }
      const started = lock.run(key, work, options)
      starting.set(started, { backend: options.backend, program: options.program })
      const forgetStart = (): void => void starting.delete(started)
      started.then(forgetStart, forgetStart)
      return started
    },
    retire: (process) => void leaving.add(process),
    async free({ running: { client } }) {
      return client.free({}, { timeoutMs: FREE_MS }).then(
        () => undefined,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      )
    },
    stop: (process, options) => stop(process, options),
  }
}

interface LaunchOptions {
  readonly backend: string
  readonly program: BackendProgram
  readonly signal: AbortSignal
}

const byKey = (left: WorkerProcess, right: WorkerProcess): number => (left.key < right.key ? -1 : 1)

/** Where a process listens. A process that listens everywhere is spoken to over the loopback interface. */
function toEndpoint({ host, token }: WorkerProcessesParts, port: number): BackendEndpoint {
  const own = isEverywhere(host) ? (host === '::' ? '::1' : '127.0.0.1') : host
  return {
    address: formatAddress({ host, port }),
    clientAddress: formatAddress({ host: own, port }),
    port,
    ...(token === '' ? {} : { token }),
    release: async () => undefined,
  }
}

/** Ports behind another address keep their distance to the first one. */
function toAdvertised({ advertised, firstPort }: WorkerProcessesParts, port: number): string {
  return formatAddress({ host: advertised.host, port: advertised.firstPort + port - firstPort })
}

function portsExhausted(): SvcError {
  return new SvcError('unavailable', 'the worker has no free port for another process: raise --grpc-max-port', {
    code: 'ports_exhausted',
  })
}
