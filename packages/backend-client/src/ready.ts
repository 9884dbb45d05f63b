import { setTimeout as sleep } from 'node:timers/promises'
import { SvcError } from '@svc/errors'
import { BackendError, toAbortError } from './errors.ts'
import type { CallOptions } from './invoke/options.ts'

const HEALTH_PATH = '/backend.Backend/Health'

/** Options of a wait for a backend that is starting. */
export interface ReadyOptions {
  /** Ends the wait; put a limit in time into it. */
  readonly signal: AbortSignal
  /** Pause between two attempts. @default 25 */
  readonly intervalMs?: number | undefined
  /** Limit of one attempt. @default 10000 */
  readonly timeoutMs?: number | undefined
  /** Settles when the process has ended: there is nothing left to wait for. */
  readonly exited?: Promise<unknown> | undefined
}

/**
 * Asks for health until it is good.
 *
 * @throws `backend_exited` when the process ended first; else the last failure, or the reason of the signal
 */
export async function waitUntilReady(
  health: (options: CallOptions) => Promise<void>,
  { signal, intervalMs = 25, timeoutMs = 10_000, exited }: ReadyOptions,
): Promise<void> {
  const stop = new AbortController()
  const waiting = AbortSignal.any([signal, stop.signal])
  const end = () => stop.abort(exitedError())
  exited?.then(end, end)
  while (true) {
    if (waiting.aborted) throw toAbortError(waiting, HEALTH_PATH)
    try {
      return await health({ signal: waiting, timeoutMs })
    } catch (error) {
      if (waiting.aborted) throw toAbortError(waiting, HEALTH_PATH)
      if (!isWorthAnotherTry(error)) throw error
    }
    await sleep(intervalMs, undefined, { signal: waiting }).catch(() => {})
  }
}

/** A backend that is still starting is unreachable, slow or not healthy; a wrong token stays wrong. */
function isWorthAnotherTry(error: unknown): boolean {
  return SvcError.is(error) && (error.kind === 'unavailable' || error.kind === 'timeout')
}

function exitedError(): BackendError {
  return new BackendError('unavailable', 'the backend process ended before it was ready', { code: 'backend_exited' })
}
