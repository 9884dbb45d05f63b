import { SvcError } from '@svc/errors'
import type { Clock } from '../ports.ts'

/** How one request waits. */
export interface WaitOptions {
  readonly signal: AbortSignal
  /** Longest wait in milliseconds; 0 waits for ever. */
  readonly waitMs: number
  /** What a request is told that waited so long. */
  readonly tooLong: () => SvcError
}

/** Requests that wait for one load. Each leaves on its own; the load does not notice. */
export interface WaitingRoom<T> {
  /** @throws what the room was refused with, `tooLong`, or the abort as an error */
  join(options: WaitOptions): Promise<T>
  /** Hands everyone something, in the order they came, before anything else can run. */
  admitAll(give: () => T): void
  refuseAll(error: unknown): void
  /** Whether nobody waits. */
  isEmpty(): boolean
}

interface Waiter<T> {
  resolve(value: T): void
  reject(error: unknown): void
}

/** An empty room. It is used once: after being admitted or refused it stays empty. */
export function createWaitingRoom<T>(clock: Clock): WaitingRoom<T> {
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
