import { performance } from 'node:perf_hooks'
import type { Clock } from './ports.ts'

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  // Not Node's promised timer, because that creates an error with its stack for every aborted sleep.
  sleep: (ms, { signal }) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason)
        return
      }
      const leave = (): void => {
        clearTimeout(timer)
        reject(signal.reason)
      }
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', leave)
        resolve()
      }, ms)
      signal.addEventListener('abort', leave, { once: true })
    }),
}
