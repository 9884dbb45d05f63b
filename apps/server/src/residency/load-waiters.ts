import { SvcError } from '@svc/errors'
import type { Clock } from '../ports.ts'

/** Options of one wait. */
export interface WaitOptions {
  readonly signal: AbortSignal
  /** Maximum wait in milliseconds; 0 waits without limit. */
  readonly waitMs: number
  /** Creates the error for a request that waited too long. */
  readonly tooLong: () => SvcError
}

/** Requests that wait for one load. Each one may leave by itself; the load goes on. */
export interface LoadWaiters<T> {
  /** Waits for the load. @throws the error of {@link LoadWaiters.refuseAll}, `tooLong`, or the abort as an error */
  join(options: WaitOptions): Promise<T>
  /** Gives each waiter a value, first come, first served, before other work runs. */
  admitAll(give: () => T): void
  refuseAll(error: unknown): void
  /** Whether no request waits. */
  isEmpty(): boolean
}

interface Waiter<T> {
  resolve(value: T): void
  reject(error: unknown): void
}

/** Creates an empty list for one load: it stays empty after all waiters are admitted or refused. */
export function createLoadWaiters<T>(clock: Clock): LoadWaiters<T> {
  const waiters = new Set<Waiter<T>>()
  const drain = (act: (waiter: Waiter<T>) => void) => {
    const all = [...waiters]
    waiters.clear()
    for (const waiter of all) act(waiter)
  }
  return {
    join({ signal, waitMs, tooLong }) {
      return new Promise<T>((resolve, reject) => {
        if (signal.aborted) {
          reject(toAbortError(signal))
          return
        }
        const done = new AbortController()
        const finish = (act: () => void) => {
          waiters.delete(waiter)
          done.abort()
          act()
        }
        const waiter: Waiter<T> = {
          resolve: (value) => finish(() => resolve(value)),
          reject: (error) => finish(() => reject(error)),
        }
        waiters.add(waiter)
        signal.addEventListener('abort', () => waiter.reject(toAbortError(signal)), { once: true, signal: done.signal })
        if (waitMs <= 0) return
        void clock.sleep(waitMs, { signal: done.signal }).then(
          () => waiter.reject(tooLong()),
          () => undefined,
        )
      })
    },
    admitAll: (give) => drain((waiter) => waiter.resolve(give())),
    refuseAll: (error) => drain((waiter) => waiter.reject(error)),
    isEmpty: () => waiters.size === 0,
  }
}

function toAbortError(signal: AbortSignal): SvcError {
  const reason: unknown = signal.reason
  if (SvcError.is(reason)) return reason
  return new SvcError('cancelled', 'the request was cancelled', { cause: reason })
}
