import type { BackendClient } from '@svc/backend-client'
import type { BackendProgram } from './catalog.ts'
import type { BackendProcess, ExitReport } from './process.ts'

const DEFAULT_FREE_MS = 5000

/** A ready backend, with its process when this server started it. */
export interface RunningBackend {
  readonly program: BackendProgram
  readonly client: BackendClient
  /** Leader of its process group; absent for an attached address. */
  readonly pid?: number | undefined
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  /** Resolves when the process is gone, or an attached address is released. */
  readonly exited: Promise<ExitReport>
  /** Whether it is already gone. */
  hasExited(): boolean
  /** Whether this server has asked it to stop. */
  isStopping(): boolean
  /**
   * Calls Free, then sends TERM to the group, then KILL after `graceMs`. An attached backend only gets Free. Never
   * rejects.
   *
   * @param options.freeMs time for Free, in milliseconds; 0 skips it. @default 5000
   */
  stop(options: { readonly graceMs: number; readonly freeMs?: number | undefined }): Promise<void>
}

interface BackendParts {
  readonly program: BackendProgram
  readonly client: BackendClient
  readonly startedAt: number
}

/** Creates a backend whose process this server started. */
export function createSpawnedBackend(parts: BackendParts & { readonly process: BackendProcess }): RunningBackend {
  const { program, client, startedAt, process } = parts
  let freed: Promise<void> | undefined
  let isStopping = false
  return {
    program,
    client,
    pid: process.pid,
    startedAt,
    exited: process.exited,
    hasExited: process.hasExited,
    isStopping: () => isStopping,
    async stop({ graceMs, freeMs = DEFAULT_FREE_MS }) {
      isStopping = true
      if (process.hasExited()) {
        await process.exited
        return
      }
      // Called once; a second stop with less time does not wait for it.
      if (freed === undefined && freeMs > 0) {
        freed = free(client, freeMs)
        await freed
      }
      await process.terminate({ graceMs })
    },
  }
}

/** Creates a backend without a process of its own: an attached address, or one inside this process. */
export function createAttachedBackend(parts: BackendParts): RunningBackend {
  let hasExited = false
  let letGo: (report: ExitReport) => void = () => undefined
  const exited = new Promise<ExitReport>((resolve) => {
    letGo = resolve
  })
  return {
    ...parts,
    exited,
    hasExited: () => hasExited,
    isStopping: () => hasExited,
    async stop({ freeMs = DEFAULT_FREE_MS }) {
      if (hasExited) return
      hasExited = true
      if (freeMs > 0) await free(parts.client, freeMs)
      parts.client.close()
      letGo({ code: null, signal: null, lastLines: [] })
    },
  }
}

/** Best effort: a backend may lack the call, be busy or be gone. */
async function free(client: BackendClient, timeoutMs: number): Promise<void> {
  await client.free({}, { timeoutMs }).catch(() => undefined)
}
