import { performance } from 'node:perf_hooks'
import { setTimeout as sleepFor } from 'node:timers/promises'
import type { Clock } from './ports.ts'

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, { signal }) => {
    signal.throwIfAborted()
    await sleepFor(ms, undefined, { signal }).catch((error: unknown) => {
      throw signal.aborted ? signal.reason : error
    })
  },
}
