import { AuthError } from './errors.ts'
import type { CallOptions } from './ports/clock.ts'
import { withSignal } from './with-signal.ts'

/** Runs a call of a store that must not last for ever: a database that hangs counts as away. */
export type StoreDeadline = <T>(work: (options: CallOptions) => Promise<T>) => Promise<T>

const RETRY_AFTER_MS = 1000
/** Calls that begin within this time share a signal: making one costs more than many calls. */
const SHARED_MS = 1000

/**
 * Calls fail with `unavailable` after `timeoutMs`, or up to a second earlier.
 *
 * @param timeoutMs more than a second
 */
export function createStoreDeadline(timeoutMs: number): StoreDeadline {
  let shared: AbortSignal | undefined
  let sharedUntil = 0
  return async (work) => {
    const now = performance.now()
    if (shared === undefined || now >= sharedUntil) {
      shared = AbortSignal.timeout(timeoutMs)
      sharedUntil = now + SHARED_MS
    }
    const signal = shared
    try {
      return await withSignal(work({ signal }), signal)
    } catch (cause) {
      if (!signal.aborted || cause !== signal.reason) throw cause
      const code = 'database_unavailable'
      throw new AuthError('unavailable', 'the database does not answer', { code, cause, retryAfterMs: RETRY_AFTER_MS })
    }
  }
}
