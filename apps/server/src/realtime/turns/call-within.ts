import { SvcError } from '@svc/errors'
import type { Clock } from '../../ports.ts'

export interface CallBounds {
  readonly signal: AbortSignal
  readonly clock: Clock
  readonly limitMs: number
}

/**
 * Runs a call that may be slow, or never settle.
 *
 * @throws {SvcError} `timeout` after the limit; the call is aborted then
 */
export async function callWithin<T>(
  call: (signal: AbortSignal) => Promise<T>,
  { signal, clock, limitMs }: CallBounds,
): Promise<T> {
  signal.throwIfAborted()
  const stop = new AbortController()
  const leave = (): void => stop.abort(signal.reason)
  signal.addEventListener('abort', leave, { once: true })
  const tooLate = async (): Promise<never> => {
    await clock.sleep(limitMs, { signal: stop.signal })
    throw new SvcError('timeout', `the call took more than ${limitMs} ms`, { code: 'turn_taking_timeout' })
  }
  try {
    return await Promise.race([call(stop.signal), tooLate()])
  } finally {
    signal.removeEventListener('abort', leave)
    stop.abort()
  }
}
