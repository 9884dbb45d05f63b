import { RouterError } from './errors.ts'
import type { CallOptions, Clock } from './ports.ts'

/** Options of {@link waitWithLimit}. */
export interface WaitOptions extends CallOptions {
  readonly timeoutMs: number
  readonly clock: Clock
  /** Names the call in the message when it takes too long. */
  readonly what: string
}

const OVER = new Error('the call is over')

/**
 * Runs a call with a signal of its own, which aborts when the caller leaves or time is up. A call that ignores its
 * signal is not waited for.
 *
 * @throws the reason of the caller's signal; {@link RouterError} `router_timeout`
 */
export async function waitWithLimit<T>(
  call: (options: CallOptions) => Promise<T>,
  { signal, caller, timeoutMs, clock, what }: WaitOptions,
): Promise<T> {
  signal.throwIfAborted()
  const controller = new AbortController()
  let leave: () => void = () => {}
  const left = new Promise<never>((_resolve, reject) => {
    leave = () => {
      controller.abort(signal.reason)
      reject(signal.reason)
    }
  })
  signal.addEventListener('abort', leave, { once: true })
  const late = clock.sleep(timeoutMs, { signal: controller.signal }).then(() => {
    const error = new RouterError('timeout', `${what} took longer than ${timeoutMs} ms`, { code: 'router_timeout' })
    controller.abort(error)
    throw error
  })
  try {
    return await Promise.race([call({ signal: controller.signal, caller }), left, late])
  } finally {
    signal.removeEventListener('abort', leave)
    controller.abort(OVER)
    // Both may reject after the race is decided.
    late.catch(() => {})
    left.catch(() => {})
  }
}
