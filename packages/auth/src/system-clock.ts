import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from './ports/clock.ts'

/** The clocks of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, { signal }) => {
    try {
      await sleep(ms, undefined, { signal })
    } catch {
      throw signal.reason
    }
  },
}
