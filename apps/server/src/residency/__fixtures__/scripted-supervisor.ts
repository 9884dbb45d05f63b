import type { BackendClient, PartialMessage } from '@svc/backend-client'
import type { ModelOptions } from '@svc/backend-client/proto'
import type { BackendProgram } from '../../backends/catalog.ts'
import type { ExitReport } from '../../backends/process.ts'
import type { RunningBackend } from '../../backends/running-backend.ts'
import type { StartOptions, Supervisor } from '../../backends/supervisor.ts'
import type { Clock } from '../../ports.ts'

/** A backend without a process, controlled by the test. */
export interface ScriptedBackend extends RunningBackend {
  /** Requests to LoadModel, in order. */
  readonly loads: readonly PartialMessage<ModelOptions>[]
  /** Requests to stop, in order. */
  readonly stops: readonly { readonly graceMs: number; readonly freeMs?: number | undefined }[]
  /** Ends the backend as a crash does. */
  die(report?: Partial<ExitReport>): void
}

/** Behaviour that the test sets. */
export interface SupervisorScript {
  onStart(program: BackendProgram, options: StartOptions): Promise<void>
  onLoad(request: PartialMessage<ModelOptions>, signal: AbortSignal): Promise<{ success: boolean; message: string }>
  onHealth(): Promise<void>
  /** @returns how the backend has ended; undefined when it has not */
  onStop(): Promise<Partial<ExitReport> | undefined>
}

/** A supervisor whose backends are controlled by the test. */
export interface ScriptedSupervisor extends Supervisor {
  readonly script: SupervisorScript
  /** All backends started so far. */
  readonly backends: readonly ScriptedBackend[]
}

/** Creates a supervisor on which everything succeeds at once until the test changes the script. */
export function createScriptedSupervisor(clock: Clock): ScriptedSupervisor {
  const backends: ScriptedBackend[] = []
  const script: SupervisorScript = {
    onStart: async () => undefined,
    onLoad: async () => ({ success: true, message: '' }),
    onHealth: async () => undefined,
    onStop: async () => ({}),
  }
  return {
    script,
    backends,
    async start(program, options) {
      await script.onStart(program, options)
      const backend = createScriptedBackend({ program, script, clock, pid: 1000 + backends.length })
      backends.push(backend)
      return backend
    },
    logs: {
      names: () => [],
      lines: () => [],
      follow: () => undefined,
      flush: () => undefined,
      clear: () => undefined,
    },
    close: async () => undefined,
    killNow: () => undefined,
  }
}

interface BackendParts {
  readonly program: BackendProgram
  readonly script: SupervisorScript
  readonly clock: Clock
  readonly pid: number
}

function createScriptedBackend({ program, script, clock, pid }: BackendParts): ScriptedBackend {
  const loads: PartialMessage<ModelOptions>[] = []
  const stops: { graceMs: number; freeMs?: number | undefined }[] = []
  let hasExited = false
  let resolveExited: (report: ExitReport) => void = () => undefined
  const exited = new Promise<ExitReport>((resolve) => {
    resolveExited = resolve
  })
  const die = (report: Partial<ExitReport> = {}) => {
    hasExited = true
    resolveExited({ code: 0, signal: null, lastLines: [], ...report })
  }
  const client: Partial<BackendClient> = {
    address: 'scripted',
    health: () => script.onHealth(),
    async loadModel(request, options) {
      loads.push(request)
      return script.onLoad(request, options?.signal ?? new AbortController().signal)
    },
    close: () => undefined,
  }
  return {
    program,
    // The residency calls only the client's methods above.
    client: client as BackendClient,
    ...(program.kind === 'spawn' ? { pid } : {}),
    startedAt: clock.now(),
    exited,
    hasExited: () => hasExited,
    isStopping: () => stops.length > 0,
    async stop(options) {
      stops.push(options)
      const report = await script.onStop()
      if (report !== undefined) die(report)
    },
    loads,
    stops,
    die,
  }
}
