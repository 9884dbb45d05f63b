import { setTimeout } from 'node:timers/promises'
import { patienceMs } from './patience.ts'

/** Waits until a check passes; once the patience of this machine is over, fails with the last error of the check. */
export async function eventually<T>(check: () => T | Promise<T>, { intervalMs = 10 } = {}): Promise<T> {
  const startedAt = performance.now()
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (performance.now() - startedAt > patienceMs()) throw error
    }
    await setTimeout(intervalMs)
  }
}
