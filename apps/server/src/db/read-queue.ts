import { SvcError } from '@svc/errors'
import { createTaskQueue, type TaskQueue } from '../concurrency/task-queue.ts'

/**
 * Creates a queue of reads. It refuses with `unavailable`: `database_busy` when too many wait, `database_unavailable`
 * once it is closed.
 *
 * @param options.concurrency reads that run at the same time
 * @param options.limit reads that may wait
 */
export function createReadQueue(options: { readonly concurrency: number; readonly limit: number }): TaskQueue {
  return createTaskQueue({
    ...options,
    refusals: {
      busy: () =>
        new SvcError('unavailable', 'too many reads are waiting for the database', {
          code: 'database_busy',
          retryAfterMs: 1000,
        }),
      closed: () => new SvcError('unavailable', 'the database is closed', { code: 'database_unavailable' }),
    },
  })
}
