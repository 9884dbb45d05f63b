import type { SvcError } from '@svc/errors'

/** Runs a few tasks at a time, and refuses tasks when too many wait. */
export interface TaskQueue {
  /**
   * Runs a task at its turn. An abort removes a waiting task. A running task rejects at once, but keeps its place until
   * it has ended; it gets the same signal.
   *
   * @throws {SvcError} a refusal of the queue, when too many wait and after {@link TaskQueue.close}
   */
  run<T>(task: (signal: AbortSignal) => Promise<T>, options: { readonly signal: AbortSignal }): Promise<T>
  /** Refuses waiting and new tasks, tells running ones to end, and resolves when they have ended. */
  close(): Promise<void>
}

/** Refusals of a queue. */
export interface QueueRefusals {
  /** Too many tasks wait. */
  busy(): SvcError
  closed(): SvcError
}

/**
 * Creates a queue.
 *
 * @param options.concurrency tasks that run at a time
 * @param options.limit tasks that may wait
 */
export function createTaskQueue({
  concurrency,
  limit,
  refusals: { busy, closed },
}: {
  readonly concurrency: number
  readonly limit: number
  readonly refusals: QueueRefusals
}): TaskQueue {
  const waiting = new Set<{ readonly start: () => void; readonly refuse: () => void }>()
  const running = new Set<Promise<unknown>>()
  const closing = new AbortController()

  function next(): void {
    for (const entry of waiting) {
      if (running.size >= concurrency) return
      waiting.delete(entry)
      entry.start()
    }
  }

  return {
    run: (task, { signal }) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason)
        if (closing.signal.aborted) return reject(closed())
        if (waiting.size >= limit + (running.size < concurrency ? 1 : 0)) return reject(busy())
        const onAbort = (): void => {
          waiting.delete(entry)
          reject(signal.reason)
        }
        const entry = {
          refuse: () => {
            signal.removeEventListener('abort', onAbort)
            reject(closed())
          },
          start: () => {
            const done = task(AbortSignal.any([signal, closing.signal]))
              .then(resolve, reject)
              .finally(() => {
                signal.removeEventListener('abort', onAbort)
                running.delete(done)
                next()
              })
            running.add(done)
          },
        }
        signal.addEventListener('abort', onAbort, { once: true })
        waiting.add(entry)
        next()
      }),
    async close() {
      closing.abort(closed())
      for (const entry of waiting) entry.refuse()
      waiting.clear()
      await Promise.all(running)
    },
  }
}
