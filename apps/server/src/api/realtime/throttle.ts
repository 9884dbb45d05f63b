import type { Clock } from '../../ports.ts'

/** Most events of a client in a second. A client that sends more is read more slowly. */
const MAX_EVENTS = 1000
const WINDOW_MS = 1000

/** Slows a client down that sends too many events. */
export interface Throttle {
  /** Waits where the second has had its events. @throws the reason of the signal */
  pass(signal: AbortSignal): Promise<void> | undefined
}

/** Creates a throttle. */
export function createThrottle(clock: Pick<Clock, 'monotonic' | 'sleep'>): Throttle {
  let startedAt = clock.monotonic()
  let count = 0
  return {
    pass(signal) {
      count += 1
      const now = clock.monotonic()
      if (now - startedAt >= WINDOW_MS) {
        startedAt = now
        count = 1
      }
      return count < MAX_EVENTS ? undefined : clock.sleep(startedAt + WINDOW_MS - now, { signal })
    },
  }
}
