import { AuthError } from '../errors.ts'
import type { CallOptions } from '../ports/clock.ts'

/** Runs a few tasks at a time; some more wait. */
export interface TaskQueue {
  /** @throws {AuthError} `rate_limited` when too many wait; the signal's reason when it aborts while the task waits */
  run<T>(task: () => Promise<T>, options: CallOptions): Promise<T>
}

const RETRY_AFTER_MS = 1000

/** Tasks in the order in which they come. */
export function createTaskQueue(options: { readonly concurrency: number; readonly maxWaiting: number }): TaskQueue {
  const { concurrency, maxWaiting } = options
  const waiting: (() => void)[] = []
  let running = 0

  async function takePlace(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (running < concurrency) {
      running += 1
      return
    }
    if (waiting.length >= maxWaiting)
      throw new AuthError('rate_limited', 'too many sign-ins at a time, try again later', {
        code: 'too_many_sign_ins',
        retryAfterMs: RETRY_AFTER_MS,
      })
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        waiting.splice(waiting.indexOf(start), 1)
        reject(signal.reason)
      }
      const start = (): void => {
        signal.removeEventListener('abort', onAbort)
        resolve()
      }
      signal.addEventListener('abort', onAbort, { once: true })
      waiting.push(start)
    })
  }

  return {
    async run(task, { signal }) {
      await takePlace(signal)
      try {
        return await task()
      } finally {
        const next = waiting.shift()
        if (next === undefined) running -= 1
        else next()
      }
    },
  }
}
