import os from 'node:os'
import type { Log } from '@svc/backend-kit'
import type { Llama, LlamaLogLevel } from 'node-llama-cpp'

/** The engine's module and its one instance in this process. */
export interface Runtime {
  readonly module: typeof import('node-llama-cpp')
  readonly llama: Llama
  /** Versions of the engine, for display. */
  readonly version: string
  /** Threads of a model that does not name a number. */
  readonly defaultThreads: number
  /** Takes the engine's error lines since the last call, oldest first, at most {@link MAX_ERRORS} lines. */
  takeErrors(): readonly string[]
}

/** Most kept error lines. */
const MAX_ERRORS = 8
/** Lines logged for nearly every file, without use for an operator. */
const NOISE = [/^llama_context: n_ctx_seq/, /^load: (control-looking|special_eo[gst]_id)/]

/**
 * Starts the engine from a prebuilt binary, for a graphics card if such a package and the card are present, else for
 * CPUs. Compiles and downloads nothing. Takes about a second, half of it in a child process that probes the binary.
 */
export async function startRuntime(log: Log): Promise<Runtime> {
  const module = await import('node-llama-cpp')
  let errors: string[] = []
  const llama = await module.getLlama({
    gpu: 'auto',
    build: 'never',
    skipDownload: true,
    progressLogs: false,
    // No limit by the engine: every context sets its threads.
    maxThreads: 0,
    logLevel: module.LlamaLogLevel.warn,
    logger: (level, message) => {
      const line = message.trim()
      if (line === '' || NOISE.some((noise) => noise.test(line))) return
      if (!isError(level)) return log.warn(line)
      log.error(line)
      if (errors.length < MAX_ERRORS) errors.push(line)
    },
  })
  return {
    module,
    llama,
    version: `node-llama-cpp ${await module.getModuleVersion()}, llama.cpp ${llama.llamaCppRelease.release}`,
    defaultThreads: chooseThreads(llama.cpuMathCores, os.availableParallelism()),
    takeErrors: () => {
      const taken = errors
      errors = []
      return taken
    },
  }
}

/** One physical core is left to other work: the engine's threads wait for each other by spinning. */
export function chooseThreads(physicalCores: number, availableCores: number): number {
  return Math.max(1, Math.min(physicalCores, availableCores) - 1)
}

function isError(level: LlamaLogLevel): boolean {
  return level === 'error' || level === 'fatal'
}
