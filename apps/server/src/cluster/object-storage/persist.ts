import type { Clock } from '../../ports.ts'
import { isPassing, toStorageError } from './storage-errors.ts'

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 15_000

/** Options of {@link persist}. */
export interface PersistOptions {
  /** Longest time to go on after failures without progress, milliseconds. */
  readonly budgetMs: number
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  readonly signal: AbortSignal
}

/**
 * Does work again while its failures may pass, with growing pauses.
 *
 * @param work calls `moved` at each progress, which begins the time anew
 * @throws {SvcError} the last failure; the signal's reason
 */
export async function persist<T>(
  work: (moved: () => void) => Promise<T>,
  { budgetMs, clock, signal }: PersistOptions,
): Promise<T> {
  let movedAt = clock.monotonic()
  let pauseMs = FIRST_PAUSE_MS
  const moved = (): void => {
    movedAt = clock.monotonic()
    pauseMs = FIRST_PAUSE_MS
  }
  for (;;) {
    signal.throwIfAborted()
    try {
      return await work(moved)
    } catch (error) {
      signal.throwIfAborted()
      const failure = toStorageError(error)
      const waitMs = Math.max(pauseMs, failure.retryAfterMs ?? 0)
      if (!isPassing(failure) || clock.monotonic() - movedAt + waitMs > budgetMs) throw failure
      await clock.sleep(waitMs, { signal })
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
    }
  }
}
