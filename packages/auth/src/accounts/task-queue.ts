import { AuthError } from '../errors.ts'
import type { CallOptions } from '../ports/clock.ts'

/** Runs a few tasks at a time; some more wait. */
export interface TaskQueue {
  /**
   * @param options.goesFirst whether the task goes before others that wait, in a line of its own that they cannot fill
   * @throws {AuthError} `rate_limited` when too many wait; the signal's reason when it aborts while the task waits
   */
  run<T>(task: () => Promise<T>, options: QueuedOptions): Promise<T>
}

/** Options of a task that may wait. */
export interface QueuedOptions extends CallOptions {
  /** @default false */
  readonly goesFirst?: boolean | undefined
}

const RETRY_AFTER_MS = 1000

/** Tasks in the order in which they come. @param options.maxWaiting of each line */
export function createTaskQueue(options: { readonly concurrency: number; readonly maxWaiting: number }): TaskQueue {
  const { concurrency, maxWaiting } = options
  const [first, others]: [(() => void)[], (() => void)[]] = [[], []]
  let running = 0

  async function takePlace({ signal, goesFirst = false }: QueuedOptions): Promise<void> {
    const waiting = goesFirst ? first : others
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
    async run(task, options) {
      await takePlace(options)
      try {
        return await task()
      } finally {
        const next = first.shift() ?? others.shift()
        if (next === undefined) running -= 1
        else next()
      }
    },
  }
}
