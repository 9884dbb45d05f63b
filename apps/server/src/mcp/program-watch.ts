import { SvcError } from '@svc/errors'
import type { BackendProcess } from '../backends/process.ts'
import type { ProcessStats } from '../monitoring/process-stats.ts'
import type { Clock } from '../ports.ts'
import { MEMORY_CHECK_MS } from './limits.ts'

/** Watches the programs of servers. */
export interface ProgramWatch {
  /** Ends a program, by calling `end`, once it takes more memory than allowed. */
  watch(process: BackendProcess, end: (failure: SvcError) => void): void
  /** Sends KILL to every program, for an exit that waits for nothing. */
  killNow(): void
}

/** Creates the watch. Memory is read where the system has `/proc`. */
export function createProgramWatch({
  maxBytes,
  sizes,
  clock,
}: {
  readonly maxBytes: number
  readonly sizes: ProcessStats
  readonly clock: Clock
}): ProgramWatch {
  const running = new Set<BackendProcess>()

  async function follow(process: BackendProcess, end: (failure: SvcError) => void, signal: AbortSignal): Promise<void> {
    for (;;) {
      await clock.sleep(MEMORY_CHECK_MS, { signal })
      const figures = await sizes.read(process.pid)
      if (signal.aborted || (figures?.rssBytes ?? 0) <= maxBytes) continue
      process.killNow()
      return end(
        new SvcError('upstream_failed', 'the program of an MCP server takes too much memory', { code: 'mcp_memory' }),
      )
    }
  }
  return {
    watch(process, end) {
      const gone = new AbortController()
      running.add(process)
      void process.exited.then(() => {
        running.delete(process)
        gone.abort()
      })
      follow(process, end, gone.signal).catch(() => undefined)
    },
    killNow() {
      for (const process of running) process.killNow()
    },
  }
}
