import type { Clock } from '../../ports.ts'

/** Writes that wait a moment for others, one at a time. */
export interface GatheredWrites {
  /** Runs the write soon. */
  wake(): void
  /** Ends the wait for others. */
  hurry(): void
  /** Runs it now, and resolves when nothing is waiting. */
  flush(): Promise<void>
}

/** Options of {@link createGatheredWrites}. */
export interface GatheredWritesOptions {
  /** Writes everything that waits. Must not reject. */
  readonly write: () => Promise<void>
  readonly waits: () => boolean
  readonly gatherMs: number
  readonly clock: Pick<Clock, 'sleep'>
}

/** Creates the writes of one file. No timer runs while nothing waits. */
export function createGatheredWrites({ write, waits, gatherMs, clock }: GatheredWritesOptions): GatheredWrites {
  let running: Promise<void> | undefined
  let hurry = new AbortController()
  let flushes = 0

  async function run(): Promise<void> {
    while (waits()) {
      if (flushes === 0) await clock.sleep(gatherMs, { signal: hurry.signal }).catch(() => undefined)
      hurry = new AbortController()
      await write()
    }
    running = undefined
  }

  const wake = (): void => {
    if (waits()) running ??= run()
  }
  return {
    wake,
    hurry: () => hurry.abort(),
    async flush() {
      flushes += 1
      hurry.abort()
      try {
        wake()
        await running
      } finally {
        flushes -= 1
      }
    },
  }
}
