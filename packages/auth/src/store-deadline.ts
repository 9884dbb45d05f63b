import { AuthError } from './errors.ts'
import type { CallOptions } from './ports/clock.ts'
import { withSignal } from './with-signal.ts'

const RETRY_AFTER_MS = 1000

/**
 * Runs a call of a store that must not last for ever: a database that hangs is one that is away.
 *
 * @throws {AuthError} `unavailable` after `timeoutMs`; what the call fails with
 */
export async function withDeadline<T>(timeoutMs: number, work: (options: CallOptions) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    return await withSignal(work({ signal }), signal)
  } catch (cause) {
    if (!signal.aborted || cause !== signal.reason) throw cause
    const code = 'database_unavailable'
    throw new AuthError('unavailable', 'the database does not answer', { code, cause, retryAfterMs: RETRY_AFTER_MS })
  }
}
