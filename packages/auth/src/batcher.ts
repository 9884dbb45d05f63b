import { AuthError } from './errors.ts'

/** Collects work while other work runs, so that what comes at once is done at once. */
export interface Batcher<Work, Result> {
  /** @throws {AuthError} `unavailable` when too much waits; what the batch fails with */
  run(work: Work): Promise<Result>
  /** Resolves when nothing runs or waits. */
  settled(): Promise<void>
}

const RETRY_AFTER_MS = 1000

/**
 * One batch runs at a time; the next one takes what has come meanwhile, in order.
 *
 * @param options.perform does a batch; a result for each piece of work, in order
 */
export function createBatcher<Work, Result>(options: {
  readonly perform: (batch: readonly Work[]) => Promise<readonly Result[]>
  readonly maxBatch: number
  readonly maxWaiting: number
}): Batcher<Work, Result> {
  const { perform, maxBatch, maxWaiting } = options
  interface Waiting {
    readonly work: Work
    readonly resolve: (result: Result) => void
    readonly reject: (error: unknown) => void
  }
  const waiting: Waiting[] = []
  let running: Promise<void> | undefined

  async function runBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      const results = await perform(batch.map(({ work }) => work))
      batch.forEach(({ resolve, reject }, index) => {
        if (index < results.length) resolve(results[index] as Result)
        else reject(new AuthError('internal', 'a batch has too few results'))
      })
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  async function runAll(): Promise<void> {
    // what comes in the same turn of the event loop goes together
    await Promise.resolve()
    while (waiting.length > 0) await runBatch(waiting.splice(0, maxBatch))
    running = undefined
  }

  return {
    run(work) {
      if (waiting.length >= maxWaiting)
        return Promise.reject(
          new AuthError('unavailable', 'the database is busy', { code: 'database_busy', retryAfterMs: RETRY_AFTER_MS }),
        )
      return new Promise<Result>((resolve, reject) => {
        waiting.push({ work, resolve, reject })
        running ??= runAll()
      })
    },
    settled: async () => running,
  }
}
