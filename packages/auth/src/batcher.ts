import { AuthError } from './errors.ts'
import type { Clock } from './ports/clock.ts'

/** Collects work while other work runs, so that work that arrives together is done together. */
export interface Batcher<Work, Result> {
  /** @throws {AuthError} `unavailable` when too much work waits; the error of the batch */
  run(work: Work): Promise<Result>
  /** As {@link run}, for work that nobody waits for: it goes with the next batch, or by itself after a moment. */
  runLater(work: Work): Promise<Result>
  /** Resolves when nothing runs or waits. */
  settled(): Promise<void>
}

/** Options of {@link createBatcher}. */
export interface BatcherOptions<Work, Result> {
  /** Does a batch; a result for each piece of work, in order. */
  readonly perform: (batch: readonly Work[]) => Promise<readonly Result[]>
  readonly maxBatch: number
  readonly maxWaiting: number
  readonly clock: Pick<Clock, 'sleep'>
  /** Time that work of {@link Batcher.runLater} waits for a batch, milliseconds. */
  readonly laterMs: number
}

const RETRY_AFTER_MS = 1000

/** One batch runs at a time; the next one takes the work that has come meanwhile, in order. */
export function createBatcher<Work, Result>(options: BatcherOptions<Work, Result>): Batcher<Work, Result> {
  const { perform, maxBatch, maxWaiting, clock, laterMs } = options
  interface Waiting {
    readonly work: Work
    readonly resolve: (result: Result) => void
    readonly reject: (error: unknown) => void
  }
  let waiting: Waiting[] = []
  let later: Waiting[] = []
  let running: Promise<void> | undefined
  let isAlarmSet = false

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

  function takeBatch(): readonly Waiting[] {
    const all = [...waiting, ...later]
    later = []
    waiting = all.slice(maxBatch)
    return all.slice(0, maxBatch)
  }

  async function runAll(): Promise<void> {
    // work that arrives in the same turn of the event loop goes together
    await Promise.resolve()
    for (let batch = takeBatch(); batch.length > 0; batch = waiting.length > 0 ? takeBatch() : []) await runBatch(batch)
    running = undefined
    if (later.length > 0) setAlarm()
  }

  function start(): void {
    running ??= runAll()
  }

  function setAlarm(): void {
    if (isAlarmSet) return
    isAlarmSet = true
    const ring = (): void => {
      isAlarmSet = false
      if (later.length > 0) start()
    }
    clock.sleep(laterMs, { signal: new AbortController().signal }).then(ring, ring)
  }

  function add(list: Waiting[], work: Work): Promise<Result> {
    if (waiting.length + later.length >= maxWaiting)
      return Promise.reject(
        new AuthError('unavailable', 'the database is busy', { code: 'database_busy', retryAfterMs: RETRY_AFTER_MS }),
      )
    return new Promise<Result>((resolve, reject) => {
      list.push({ work, resolve, reject })
    })
  }

  return {
    run(work) {
      const result = add(waiting, work)
      start()
      return result
    },
    runLater(work) {
      const result = add(later, work)
      setAlarm()
      return result
    },
    async settled() {
      while (running !== undefined || waiting.length + later.length > 0) {
        start()
        await running
      }
    },
  }
}
