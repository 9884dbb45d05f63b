import { SvcError } from '@svc/errors'
import type { Clock, Logger } from '../ports.ts'
import type { BackendProgram } from './catalog.ts'
import { buildBackendEnvironment, type Environment } from './child-environment.ts'
import { type BackendEndpoint, createSocketEndpoint, createTcpEndpoint } from './endpoint.ts'
import type { LogLine, LogReader, LogRing } from './log-ring.ts'
import { createLogRings, type LogRings } from './log-rings.ts'
import { type BackendProcess, startProcess, toStartError } from './process.ts'
import type { ProcessRecord } from './process-record.ts'
import { waitUntilReady } from './readiness.ts'
import { createAttachedBackend, createSpawnedBackend, type RunningBackend } from './running-backend.ts'

/** Time that a process that never became ready gets to stop. */
const FAILED_START_GRACE_MS = 2000
const DEFAULT_ATTEMPTS = 20
const DEFAULT_ATTEMPTS_SLEEP_SECONDS = 2
/**
 * Starts on other ports when another process takes the port before the backend listens. A busy machine hands out a
 * hundred ports a second, and a backend that starts slowly may lose more than one.
 */
const MAX_STARTS = 5
/** Part of the shutdown's time that is reserved for the KILL at its end. */
const KILL_RESERVE_MS = 250

/** Model of a start, and its time limits. */
export interface StartOptions {
  /** Names the log. */
  readonly modelName: string
  readonly signal: AbortSignal
  /**
   * Number of health checks and the pause between them, as in model files: their product is the limit. 0 = 20 and 2 s.
   */
  readonly attempts?: number | undefined
  readonly attemptsSleepSeconds?: number | undefined
  /** Where a program listens. @default an address of this machine that only this process knows */
  readonly endpoint?: BackendEndpoint | undefined
}

/** The output of backends, by model; it is kept after they end. */
export interface BackendLogs {
  /** Names of models with output, in order. */
  names(): readonly string[]
  /** Lists the lines of a model, the oldest first. */
  lines(modelName: string): readonly LogLine[]
  /**
   * Opens a reader of a model's lines; undefined while there is no output. @param from number of the first line to take
   * @default the next one @throws {SvcError} `rate_limited` when the model has too many readers
   */
  follow(modelName: string, from?: number): LogReader | undefined
  /** Makes lines of output that a flood holds back. */
  flush(): void
  clear(modelName: string): void
}

/** Starts backends, keeps their output, and stops all of them. */
export interface Supervisor {
  /**
   * Starts a program, or attaches to an address, and waits until it is healthy. Backends inside this process are ready
   * at once.
   *
   * @throws SvcError `backend_not_ready`, `backend_start_failed`, `address_taken` (internal), `process_limit`,
   *   `shutting_down` (unavailable), or the signal's reason
   */
  start(program: BackendProgram, options: StartOptions): Promise<RunningBackend>
  readonly logs: BackendLogs
  /** Stops everything in parallel within `graceMs` and refuses new starts. */
  close(options: { readonly graceMs: number }): Promise<void>
  /** Sends KILL to every group synchronously, for an exit that waits for nothing. */
  killNow(): void
}

/** Options of {@link createSupervisor}. */
export interface SupervisorOptions {
  /** The environment of this server; backends get its allowed part. */
  readonly environment: Environment
  readonly modelsPath: string
  /** Bearer token for attached backends. */
  readonly externalToken?: string | undefined
  /** Where folders of socket files are made. */
  readonly socketParent: string
  readonly record: ProcessRecord
  /** Whether output is kept; asked for each line. @default always */
  readonly keepsOutput?: (() => boolean) | undefined
  readonly clock: Clock
  readonly logger: Logger
}

/** Creates a supervisor without backends. */
export function createSupervisor(options: SupervisorOptions): Supervisor {
  const rings = createLogRings()
  const processes = new Set<BackendProcess>()
  const running = new Set<RunningBackend>()
  const starting = new Set<Promise<unknown>>()
  const closing = new AbortController()
  const flush = (): void => {
    for (const process of processes) process.flushLogs()
  }

  const keep = (backend: RunningBackend) => {
    running.add(backend)
    void backend.exited.then(() => running.delete(backend))
    return backend
  }
  const onProcess = (process: BackendProcess) => {
    processes.add(process)
    void process.exited.then(() => processes.delete(process))
  }
  const start = async (program: BackendProgram, startOptions: StartOptions): Promise<RunningBackend> => {
    const signal = AbortSignal.any([startOptions.signal, closing.signal])
    signal.throwIfAborted()
    if (program.kind === 'in-process') return keep(await startInProcess(program, options.clock))
    const context: StartContext = {
      ...options,
      rings,
      onProcess,
      modelName: startOptions.modelName,
      limitMs: toReadyLimitMs(startOptions),
      signal,
      endpoint: startOptions.endpoint,
    }
    return keep(await (program.kind === 'attach' ? attach(program, context) : spawnBackend(program, context)))
  }

  return {
    start(program, startOptions) {
      const started = start(program, startOptions)
      starting.add(started)
      const forget = () => starting.delete(started)
      started.then(forget, forget)
      return started
    },
    logs: {
      names() {
        flush()
        return rings.names()
      },
      lines(modelName) {
        flush()
        return rings.get(modelName)?.lines() ?? []
      },
      follow: (modelName, from) => rings.get(modelName)?.open(from),
      flush,
      clear(modelName) {
        flush()
        rings.get(modelName)?.clear()
      },
    },
    async close({ graceMs }) {
      closing.abort(new SvcError('unavailable', 'the server is shutting down', { code: 'shutting_down' }))
      const freeMs = Math.min(1000, graceMs / 4)
      const termMs = Math.max(0, graceMs - freeMs - KILL_RESERVE_MS)
      await Promise.allSettled([...running].map((backend) => backend.stop({ graceMs: termMs, freeMs })))
      // The abort ends starting processes; the others are killed.
      for (const process of processes) process.killNow()
      await Promise.allSettled(starting)
      await options.record.settled()
    },
    killNow() {
      for (const process of processes) process.killNow()
    },
  }
}

function toReadyLimitMs({ attempts, attemptsSleepSeconds }: StartOptions): number {
  return (attempts || DEFAULT_ATTEMPTS) * (attemptsSleepSeconds || DEFAULT_ATTEMPTS_SLEEP_SECONDS) * 1000
}

interface StartContext extends SupervisorOptions {
  readonly rings: LogRings
  readonly onProcess: (process: BackendProcess) => void
  readonly modelName: string
  readonly limitMs: number
  readonly signal: AbortSignal
  readonly endpoint: BackendEndpoint | undefined
}

type SpawnProgram = Extract<BackendProgram, { kind: 'spawn' }>
type AttachProgram = Extract<BackendProgram, { kind: 'attach' }>

async function startInProcess(
  program: Extract<BackendProgram, { kind: 'in-process' }>,
  clock: Clock,
): Promise<RunningBackend> {
  const { createInProcessClient } = await import('./in-process/client.ts')
  const client = createInProcessClient(program.name, await program.createHandlers())
  return createAttachedBackend({ program, client, startedAt: clock.now() })
}

async function attach(program: AttachProgram, context: StartContext): Promise<RunningBackend> {
  const { externalToken: token } = context
  const { createBackendClient } = await import('./grpc-client.ts')
  const client = createBackendClient({ address: program.address, token })
  try {
    await waitUntilReady({ ...context, client })
  } catch (error) {
    client.close()
    throw error
  }
  return createAttachedBackend({ program, client, startedAt: context.clock.now() })
}

async function spawnBackend(program: SpawnProgram, context: StartContext): Promise<RunningBackend> {
  for (let start = 1; ; start++) {
    try {
      return await spawnOnce(program, context)
    } catch (error) {
      const isTaken = SvcError.is(error) && error.code === 'address_taken'
      const isFixed = program.transport !== 'tcp' || context.endpoint !== undefined
      if (!isTaken || start === MAX_STARTS || isFixed) throw error
      context.logger.warn({ backend: program.name }, 'port of a backend was taken, trying another')
    }
  }
}

async function spawnOnce(program: SpawnProgram, context: StartContext): Promise<RunningBackend> {
  const endpoint = context.endpoint ?? (await createEndpoint(program, context.socketParent))
  let process: BackendProcess
  try {
    process = await launch(program, endpoint, context)
  } catch (error) {
    await endpoint.release()
    throw error
  }
  recordProcess(process, program, endpoint, context)
  // The first call of this process loads the client, while the backend starts.
  const { createBackendClient } = await import('./grpc-client.ts')
  const client = createBackendClient({ address: endpoint.clientAddress ?? endpoint.address, token: endpoint.token })
  void process.exited.then(async () => {
    client.close()
    await endpoint.release()
  })
  try {
    await waitUntilReady({ ...context, client, process, port: endpoint.port })
  } catch (error) {
    await process.terminate({ graceMs: FAILED_START_GRACE_MS })
    throw error
  }
  context.logger.info({ backend: program.name, model: context.modelName, pid: process.pid }, 'backend is ready')
  return createSpawnedBackend({ program, client, process, startedAt: context.clock.now() })
}

async function createEndpoint({ name, transport }: SpawnProgram, socketParent: string): Promise<BackendEndpoint> {
  try {
    return await (transport === 'unix' ? createSocketEndpoint(socketParent) : createTcpEndpoint())
  } catch (error) {
    throw toStartError(name, error)
  }
}

async function launch(
  program: SpawnProgram,
  endpoint: BackendEndpoint,
  context: StartContext,
): Promise<BackendProcess> {
  const env = await buildBackendEnvironment({
    parent: context.environment,
    modelsPath: context.modelsPath,
    backendFolder: program.cwd,
    own: program.env,
    token: endpoint.token,
  })
  return startProcess({
    name: program.name,
    command: program.command,
    args: [...program.args, '--addr', endpoint.address],
    cwd: program.cwd,
    env,
    ring: onlyWhile(context.keepsOutput, context.rings.open(context.modelName)),
    clock: context.clock,
  })
}

function recordProcess(
  process: BackendProcess,
  program: SpawnProgram,
  endpoint: BackendEndpoint,
  { record, onProcess }: StartContext,
): void {
  onProcess(process)
  const { pid, startTicks } = process
  if (startTicks === undefined) return
  record.add({ pid, startTicks, name: program.name, folder: endpoint.folder })
  void process.exited.then(() => record.remove(pid))
}

/** A ring that takes lines only while output is kept. */
function onlyWhile(isKept: (() => boolean) | undefined, ring: LogRing): LogRing {
  if (isKept === undefined) return ring
  return {
    ...ring,
    append(line) {
      if (isKept()) ring.append(line)
    },
  }
}
