import type { Clock } from '../ports.ts'
import { isLocked } from './database-error.ts'

/** Runs work again while another program has the file locked. */
export type LockPatience = <T>(work: () => T | Promise<T>) => Promise<T>

/** Longest wait for a lock of another program. */
const WAIT_MS = 5000
const LOOK_MS = 25

/**
 * Waits for locks without holding up the event loop, as the engine's own timeout would. A lock that lasts longer fails
 * all work at once until it is gone.
 */
export function createLockPatience(clock: Pick<Clock, 'monotonic' | 'sleep'>): LockPatience {
  const { signal } = new AbortController()
  let lockedSince: number | undefined
  return async (work) => {
    for (;;) {
      try {
        const result = await work()
        lockedSince = undefined
        return result
      } catch (error) {
        if (!isLocked(error)) throw error
        lockedSince ??= clock.monotonic()
        if (clock.monotonic() - lockedSince >= WAIT_MS) throw error
      }
      await clock.sleep(LOOK_MS, { signal })
    }
  }
}
