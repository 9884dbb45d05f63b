import type { BackendClient, PartialMessage } from '@svc/backend-client'
import type { ModelOptions } from '@svc/backend-client/proto'
import type { BackendProgram } from '../../backends/catalog.ts'
import type { ExitReport } from '../../backends/process.ts'
import type { RunningBackend } from '../../backends/running-backend.ts'
import type { StartOptions, Supervisor } from '../../backends/supervisor.ts'
import type { Clock } from '../../ports.ts'

/** A backend without a process, played by the test. */
export interface ScriptedBackend extends RunningBackend {
  /** What LoadModel was told, in order. */
  readonly loads: readonly PartialMessage<ModelOptions>[]
  /** What stop was asked for, in order. */
  readonly stops: readonly { readonly graceMs: number; readonly freeMs?: number | undefined }[]
  /** Ends by itself. */
  die(report?: Partial<ExitReport>): void
}

/** What the test decides. */
export interface SupervisorScript {
  onStart(program: BackendProgram, options: StartOptions): Promise<void>
  onLoad(request: PartialMessage<ModelOptions>, signal: AbortSignal): Promise<{ success: boolean; message: string }>
  onHealth(): Promise<void>
}

/** A supervisor whose backends are played by the test. */
export interface ScriptedSupervisor extends Supervisor {
  readonly script: SupervisorScript
  /** Everything started so far. */
  readonly backends: readonly ScriptedBackend[]
}

/** Everything succeeds at once until the test says otherwise. */
export function createScriptedSupervisor(clock: Clock): ScriptedSupervisor {
  const backends: ScriptedBackend[] = []
  const script: SupervisorScript = {
    onStart: async () => undefined,
    onLoad: async () => ({ success: true, message: '' }),
    onHealth: async () => undefined,
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
    logs: () => [],
    clearLogs: () => undefined,
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
    // The residency calls nothing of a client but what stands above.
    client: client as BackendClient,
    ...(program.kind === 'spawn' ? { pid } : {}),
    startedAt: clock.now(),
    exited,
    hasExited: () => hasExited,
    isStopping: () => stops.length > 0,
    async stop(options) {
      stops.push(options)
      die()
    },
    loads,
    stops,
    die,
  }
}
